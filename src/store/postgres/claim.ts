import { recipientFieldsOf } from '../../email/fields.ts'
import type { LeaseFacts } from '../../email/lifecycle/attempt.ts'
import { sentEvent } from '../../email/lifecycle/initial-state.ts'
import type { Happening } from '../../email/lifecycle.ts'
import { isSimulated } from '../../email/simulated.ts'
import type { SuppressionType } from '../../email/suppression.ts'
import { foldedIn } from '../cold/statement.ts'
import { ContentDamaged, claimedRecipient, notSent } from '../content-rows.ts'
import { selected } from '../email-columns.ts'
import { LaneRooms } from '../lane-rooms.ts'
import { decideEach, nameOf } from '../recipient-decision.ts'
import type { ClaimedEmail, ClaimRequest } from '../store.ts'
import { apply } from './apply.ts'
import { uuids } from './arrays.ts'
import { type LoadedEmail, loadEmails } from './contents.ts'
import type { DatabaseSession, Statement } from './database.ts'
import { DoubtfulClaims } from './doubtful-claims.ts'
import { factsOf, PLACES, type RecipientKey } from './facts.ts'
import { OutcomeUnknown } from './faults.ts'
import { type CompanyTurn, type LaneCandidate, type LaneLimits, LaneTurns, transactionOf } from './lanes.ts'
import type { StoreParts } from './parts.ts'
import { Promotion } from './promotion.ts'
import { stopOf } from './rows.ts'

/**
 * How often one claim looks for more: everything it finds may be suppressed, and its transaction must not take long.
 */
const LOOKS = 8

/** Has a column for each field of a claimed recipient. */
interface ClaimRow extends LeaseFacts {
  email: string
  position: number
  domain: string
  /** Why the address is on its company's suppression list: the type, and the reason. */
  suppressedBy: SuppressionType | null
  reason: string | null
}

/** A recipient that ends instead of being taken. */
interface EndingRecipient extends RecipientKey {
  happening: Happening
}

/** A column of the email of `t`. */
function ofEmail(column: string): string {
  return `(SELECT e.${column} FROM emails e WHERE e.id = t.email)`
}

/**
 * The lifecycle's decision for `claimed`, taken without reading the recipient first. Recipients that end instead are
 * read.
 */
const TAKE: Statement = {
  name: 'take',
  text: `
WITH taken AS MATERIALIZED (
  UPDATE queue q SET lease = $3, due_at = NULL, held_for = NULL, held_domain = NULL
  FROM ${PLACES.as('t')}
  WHERE q.email = ANY (ARRAY[t.email]) AND q.position = t.position
  RETURNING q.email, q.position, q.company, q.domain, q.suspicion
)
SELECT t.email, t.position, ${selected(recipientFieldsOf('queue'), () => 'r')}, r.attempts, r.preferred_server AS "preferredServer",
  r.uncertain, r.postponed_since AS "postponedSince", t.suspicion, stop.type AS "suppressedBy", stop.reason
FROM taken t
JOIN recipients r ON r.email = ANY (ARRAY[t.email]) AND r.position = t.position
LEFT JOIN LATERAL (
  ${stopOf('t.company', foldedIn('r.address'), ofEmail('domain_id'), ofEmail('tags'))}
) AS stop ON true
ORDER BY t.email, t.position`,
}

const MARK_SENT: Statement = {
  name: 'mark-sent',
  text: `
WITH sent AS (
  UPDATE emails e SET sent = true FROM unnest($1::uuid[]) AS t (id)
  WHERE e.id = ANY (ARRAY[t.id]) AND NOT e.sent RETURNING e.id, e.company
)
INSERT INTO events (email, company, recipient, type, at) SELECT id, company, NULL, $3::text, $2 FROM sent`,
}

/** A company that takes part in a claim. */
interface ClaimTurn extends CompanyTurn {
  taken: number
}

/** The state of one claim. */
interface ClaimState {
  request: ClaimRequest
  works: Map<string, ClaimedEmail>
  /** Leased places, in case the outcome of the commit is unknown. */
  leased: RecipientKey[]
  recipients: number
  /** Octets of the chosen emails. */
  bytes: number
  chosen: Set<string>
  limits: LaneLimits
}

/**
 * Takes due work under a lease. Companies share a claim evenly, and the lanes of a company share the company's part, so
 * a company or a recipient domain with a million waiting recipients is one among others.
 */
export class Claim {
  readonly #parts: StoreParts
  readonly #promotion: Promotion
  readonly #lanes: LaneTurns
  readonly #doubtful: DoubtfulClaims

  constructor(parts: StoreParts) {
    this.#parts = parts
    this.#promotion = new Promotion(parts.database)
    this.#lanes = new LaneTurns(parts.database)
    this.#doubtful = new DoubtfulClaims(parts.database, parts.repairs)
  }

  async claim(request: ClaimRequest): Promise<ClaimedEmail[]> {
    if (request.maxRecipients <= 0 || request.maxPerCompany <= 0) return []
    return await this.#doubtful.settledBefore(() => this.#claim(request))
  }

  async #claim(request: ClaimRequest): Promise<ClaimedEmail[]> {
    const { database } = this.#parts
    await this.#promotion.promote(Math.round(request.now))
    const companies = await this.#wanted(request)
    if (companies.length === 0) return []
    const limits = await this.#limits(request)
    let leased: ClaimState['leased'] = []
    try {
      return await database.transaction(async (session) => {
        const gathering: ClaimState = {
          request,
          works: new Map(),
          leased: [],
          recipients: 0,
          bytes: 0,
          chosen: new Set(),
          limits,
        }
        leased = gathering.leased
        await this.#gather(session, gathering, companies)
        return [...gathering.works.values()]
      })
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#doubtful.add(leased, request)
      throw error
    }
  }

  async #wanted(request: ClaimRequest): Promise<number[]> {
    const ready = await this.#lanes.companies()
    if (ready.length === 0 || request.skipCompanies.length === 0) return ready
    const numbers = await this.#parts.companies.find(request.skipCompanies)
    const full = new Set(request.skipCompanies.map((id) => numbers.get(id)))
    return ready.filter((company) => !full.has(company))
  }

  async #limits(request: ClaimRequest): Promise<LaneLimits> {
    const { rooms, roomOfOthers, skipDomains } = request
    const numbers = await this.#parts.companies.find(rooms.map(({ companyId }) => companyId))
    return { rooms: new LaneRooms(request, (id) => numbers.get(id)), roomOfOthers, skipDomains }
  }

  async #gather(
    session: DatabaseSession,
    gathering: ClaimState,
    companies: readonly number[],
  ): Promise<void> {
    const { request, limits } = gathering
    let takers = companies.map((company): ClaimTurn => ({ company, room: 0, taken: 0 }))
    for (let looks = 0; looks < LOOKS; looks++) {
      takers = takers.filter(({ company }) => limits.rooms.leftOf(company) > 0)
      if (takers.length === 0 || gathering.recipients >= request.maxRecipients) return
      takers = share(takers, request.maxRecipients - gathering.recipients, request.maxPerCompany)
      const found = await this.#lanes.candidates(session, takers, Math.round(request.now), limits)
      const byTurn = Map.groupBy(found, ({ turn }) => turn)
      const chosen: LaneCandidate[] = []
      const open = takers.filter((taker, index) => {
        const offered = byTurn.get(index + 1) ?? []
        return this.#choose(gathering, taker, offered, chosen) && mayHaveMore(offered)
      })
      if (chosen.length === 0) return
      const { now, together } = request
      const whole = await this.#lanes.completed(session, chosen, Math.round(now), together)
      for (const { turn } of whole) takers[turn - 1]!.taken += 1
      await this.#take(session, gathering, whole)
      takers = open.filter(({ taken }) => taken < request.maxPerCompany)
    }
  }

  /**
   * Lanes take turns. The first of the recipients that share a transaction is chosen for all of them. False when there
   * was no room for the octets of the next one.
   */
  #choose(
    gathering: ClaimState,
    taker: ClaimTurn,
    offered: readonly LaneCandidate[],
    chosen: LaneCandidate[],
  ): boolean {
    const { request, works } = gathering
    const { rooms } = gathering.limits
    const begun = new Set<string>()
    let room = taker.room
    let last: LaneCandidate | undefined
    for (const candidate of inTurns(offered)) {
      if (room <= 0) break
      const transaction = candidate.together > 1 ? transactionOf(candidate) : ''
      if (begun.has(transaction) || rooms.left(taker.company, candidate.domain) <= 0) continue
      const known = gathering.chosen.has(candidate.email)
      const any = works.size > 0 || chosen.length > 0
      if (!known && any && gathering.bytes + candidate.size > request.maxBytes) {
        if (last !== undefined) this.#lanes.served(taker.company, last.domain)
        this.#lanes.keepFirst(taker.company, candidate.domain)
        return false
      }
      if (!known) gathering.bytes += candidate.size
      gathering.chosen.add(candidate.email)
      chosen.push(candidate)
      last = candidate
      const recipients = Math.min(candidate.together, request.together)
      rooms.take(taker.company, candidate.domain, recipients)
      room -= recipients
      if (transaction !== '') begun.add(transaction)
      this.#lanes.served(taker.company, candidate.domain)
    }
    return true
  }

  async #take(
    session: DatabaseSession,
    gathering: ClaimState,
    chosen: readonly LaneCandidate[],
  ): Promise<void> {
    const { request, works } = gathering
    const rows = await session.run<ClaimRow>(TAKE, [...PLACES.values(chosen), request.lease.token])
    const byEmail = Map.groupBy(rows, ({ email }) => email)
    const fresh = [...byEmail.keys()].filter((id) => !works.has(id))
    const loaded = await loadEmails(session, fresh)
    const endings: EndingRecipient[] = []
    const unsent: string[] = []
    for (const [id, recipients] of byEmail) {
      const work = works.get(id) ?? workFrom(loaded.get(id))
      const before = gathering.recipients
      for (const row of recipients) {
        const ending =
          work instanceof ContentDamaged ? damagedEnding(row, work, request) : endingOf(row, work, request)
        if (ending === null) gathering.recipients += 1
        else endings.push(ending)
      }
      if (work instanceof ContentDamaged || gathering.recipients === before) continue
      works.set(id, work)
      if (isUnsent(loaded.get(id))) unsent.push(id)
    }
    for (const { email, position } of rows) gathering.leased.push({ email, position })
    const { type, at } = sentEvent(Math.round(request.now))
    if (unsent.length > 0) await session.run(MARK_SENT, [uuids(unsent.sort()), at, type])
    await this.#end(session, endings, request)
  }

  async #end(
    session: DatabaseSession,
    endings: readonly EndingRecipient[],
    { now }: ClaimRequest,
  ): Promise<void> {
    const happenings = new Map(endings.map((ending) => [nameOf(ending), ending.happening]))
    // The recipients were waiting until the statement that took them.
    const found = (await factsOf(session, endings)).map((recipient) => {
      return { ...recipient, state: 'waiting' as const }
    })
    await apply(
      session,
      decideEach(found, (recipient) => happenings.get(nameOf(recipient))!),
      now,
    )
  }
}

/**
 * Divides the rest of a claim evenly. Companies that get nothing this time are left out; those served longest ago come
 * first.
 */
function share(takers: readonly ClaimTurn[], left: number, maxPerCompany: number): ClaimTurn[] {
  const sharing = takers.slice(0, left)
  for (const [index, taker] of sharing.entries()) {
    const even = Math.max(1, Math.floor(left / (sharing.length - index)))
    taker.room = Math.min(even, maxPerCompany - taker.taken)
    left -= taker.room
  }
  return sharing
}

/** The first candidate of each lane, then the second of each, and so on. They arrive lane by lane. */
function inTurns(offered: readonly LaneCandidate[]): LaneCandidate[] {
  const ranks = new Map<string, number>()
  const ranked = offered.map((candidate) => {
    const rank = ranks.get(candidate.domain) ?? 0
    ranks.set(candidate.domain, rank + 1)
    return { candidate, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ candidate }) => candidate)
}

/** False when every lane returned fewer candidates than were asked for. */
function mayHaveMore(offered: readonly LaneCandidate[]): boolean {
  const perLane = Map.groupBy(offered, ({ domain }) => domain)
  return [...perLane.values()].some((lane) => lane.length >= lane[0]!.quota)
}

function workFrom(loaded: LoadedEmail | ContentDamaged | undefined): ClaimedEmail | ContentDamaged {
  if (loaded === undefined) return new ContentDamaged('the stored content is missing')
  return loaded instanceof ContentDamaged ? loaded : loaded.email
}

function isUnsent(loaded: LoadedEmail | ContentDamaged | undefined): boolean {
  return loaded !== undefined && !(loaded instanceof ContentDamaged) && !loaded.sent
}

/** Adds the recipient to the work, or returns how it ends. */
function endingOf(row: ClaimRow, work: ClaimedEmail, request: ClaimRequest): EndingRecipient | null {
  const { email, position, domain, suppressedBy: type, reason } = row
  if (type !== null && reason !== null && !isSimulated(domain, work.testMode)) {
    return { email, position, happening: { kind: 'claimed', at: request.now, suppressed: { type, reason } } }
  }
  const recipient = claimedRecipient(row)
  if (recipient instanceof ContentDamaged) return damagedEnding(row, recipient, request)
  work.recipients.push(recipient)
  return null
}

/** An unreadable email ends with a visible event instead of holding up the rest. */
function damagedEnding(
  { email, position }: ClaimRow,
  why: ContentDamaged,
  { now }: ClaimRequest,
): EndingRecipient {
  return { email, position, happening: { kind: 'damaged', at: now, message: notSent(why) } }
}
