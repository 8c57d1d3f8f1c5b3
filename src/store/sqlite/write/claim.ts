import { sentEvent } from '../../../email/lifecycle/initial-state.ts'
import { type Decision, decide } from '../../../email/lifecycle.ts'
import { ContentDamaged, claimedRecipient, notSent } from '../../content-rows.ts'
import { LaneRooms } from '../../lane-rooms.ts'
import type { ClaimedEmail, ClaimRequest } from '../../store.ts'
import { type EmailWork, WorkReader } from '../read/work.ts'
import { CLAIM_COLUMNS, RecipientQuery, type SqliteRecipient } from '../recipient-rows.ts'
import { one } from '../rows.ts'
import { WriteOperation } from './parts.ts'

/** The most lanes that are looked at in one turn of a company. It bounds the time of a claim. */
const LOOKS_PER_TURN = 100

/** The state of one claim. */
interface ClaimProgress {
  request: ClaimRequest
  rooms: LaneRooms<string>
  skipDomains: ReadonlySet<string>
  works: Map<number, EmailWork>
  recipients: number
  bytes: number
}

/** The offer of the lane whose turn it is. */
interface Offer {
  num: number
  work: EmailWork | ContentDamaged
  due: SqliteRecipient[]
}

/**
 * Takes due work under a lease. Companies take turns, and each turn brings recipients of one email; the lanes of a
 * company take turns too. So a million waiting recipients of one company, or at one domain, do not delay the others.
 *
 * Damage stops only the lane or email in which it was met: the claim is rolled back and run again (TransactionRestart)
 * without it.
 */
export class Claim extends WriteOperation {
  readonly #works = new WorkReader(this.db)
  readonly #firstDue = this.db.prepare(
    `SELECT email FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? AND due_at <= ? ORDER BY due_at LIMIT 1`,
  )
  readonly #allDue = this.db.prepare(
    `SELECT email FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? AND due_at <= ? ORDER BY due_at`,
  )
  readonly #due = new RecipientQuery(
    this.db,
    `WHERE r.email = ? AND r.state = 'waiting' AND r.due_at <= ? ORDER BY r.domain <> ?, r.domain, r.position`,
    CLAIM_COLUMNS,
  )
  readonly #markSent = this.db.prepare('UPDATE emails SET sent = 1 WHERE num = ?')

  claim(request: ClaimRequest): ClaimedEmail[] {
    const { turns } = this.parts
    const gathering: ClaimProgress = {
      request,
      rooms: new LaneRooms(request, String),
      skipDomains: new Set(request.skipDomains),
      works: new Map(),
      recipients: 0,
      bytes: 0,
    }
    const full = new Set(request.skipCompanies)
    let active = turns
      .due(request.now)
      .filter((company) => !full.has(this.parts.companies.id(company)))
      .map((company) => ({ company, taken: 0 }))
    while (active.length > 0 && gathering.recipients < request.maxRecipients) {
      active = active.filter((entry, index) => {
        const left = request.maxRecipients - gathering.recipients
        if (left <= 0) return false
        const share = Math.max(1, Math.floor(left / (active.length - index)))
        const taken = this.#turn(
          gathering,
          entry.company,
          Math.min(share, request.maxPerCompany - entry.taken),
        )
        if (taken > 0) turns.served(entry.company)
        entry.taken += taken
        return taken > 0 && entry.taken < request.maxPerCompany
      })
    }
    return [...gathering.works.values()].map(({ email }) => email)
  }

  /**
   * Takes at most `room` recipients (and those that share a transaction with the last of them) of one email of the
   * company's next lane. Returns how many; 0 ends its turns.
   */
  #turn(gathering: ClaimProgress, company: number, room: number): number {
    const { turns, lanes, damage } = this.parts
    const { now } = gathering.request
    const companyId = this.parts.companies.id(company)
    if (room <= 0 || gathering.rooms.leftOf(companyId) <= 0) return 0
    // Lanes that were passed over stay out of the ring for the rest of the turn, so that they cannot hide the lanes
    // behind them.
    const passed: string[] = []
    let taken = 0
    for (let looks = 0; taken === 0 && looks < LOOKS_PER_TURN; ) {
      const domain = turns.take(company, now)
      if (domain === undefined) break
      if (skipped(gathering, companyId, domain) || damage.lane(company, domain, now)) {
        passed.push(domain)
        continue
      }
      const offer = this.#offer(gathering, company, domain)
      if (offer === 'damaged') {
        passed.push(domain)
        continue
      }
      looks++
      if (offer === 'no room') {
        turns.keepFirst(company, domain)
        break
      }
      if (offer !== null) taken = this.#accept(gathering, company, offer, room)
      lanes.turned({ company, domain })
      lanes.writeAround(now)
    }
    for (const domain of passed) turns.putBack(company, domain)
    return taken
  }

  /** Reads the offer of a lane, and changes nothing. Null when nothing is due in the lane. */
  #offer(gathering: ClaimProgress, company: number, domain: string): Offer | 'no room' | 'damaged' | null {
    const { damage } = this.parts
    const { now } = gathering.request
    const num = damage.inLane(company, domain, now, () => this.#first(company, domain, now))
    if (num === undefined) return null
    if (num === 'damaged') return num
    return damage.inEmail(num, now, () => {
      const work = this.#open(gathering, num)
      if (work === 'no room') return work
      return { num, work, due: this.#due.all(num, now, domain) }
    })
  }

  /** The email that has been due longest in the lane, leaving out damaged ones. */
  #first(company: number, domain: string, now: number): number | 'damaged' | undefined {
    const { damage } = this.parts
    const first = one<{ email: number }>(this.#firstDue, company, domain, now)?.email
    if (first === undefined || !damage.email(first, now)) return first
    for (const row of this.#allDue.iterate(company, domain, now)) {
      const { email } = row as { email: number }
      if (!damage.email(email, now)) return email
    }
    return 'damaged'
  }

  #accept(gathering: ClaimProgress, company: number, offer: Offer, room: number): number {
    const { now } = gathering.request
    const { num, work, due } = offer
    return this.parts.damage.inEmail(num, now, () =>
      work instanceof ContentDamaged
        ? this.#fail(due, now, work)
        : this.#take(gathering, company, work, offer, room),
    )
  }

  #open(gathering: ClaimProgress, num: number): EmailWork | 'no room' | ContentDamaged {
    const known = gathering.works.get(num)
    if (known !== undefined) return known
    const row = this.#works.head(num)
    if (row === undefined) return new ContentDamaged('the email itself is missing')
    const { works, bytes, request } = gathering
    const { damage } = this.parts
    if (damage.content(num, request.now)) {
      return new ContentDamaged('its pages in the database are damaged')
    }
    if (works.size > 0 && bytes + row.size > request.maxBytes) return 'no room'
    try {
      return damage.inContent(num, request.now, () => this.#works.load(row))
    } catch (error) {
      if (error instanceof ContentDamaged) return error
      throw error
    }
  }

  #take(gathering: ClaimProgress, company: number, work: EmailWork, offer: Offer, room: number): number {
    const { request, works } = gathering
    const { num, email } = work
    const { damage } = this.parts
    const { now } = request
    const decisions: [SqliteRecipient, Decision][] = []
    let taken = 0
    let transaction = { domain: '', recipients: 0 }
    for (const before of offer.due) {
      const { domain } = before
      if (domain !== transaction.domain) transaction = { domain, recipients: 0 }
      const isNext = email.individual || transaction.recipients % request.together === 0
      if (isNext && taken >= room) break
      if (isNext && skipped(gathering, email.companyId, domain)) continue
      if (damage.lane(company, domain, now)) continue
      const suppressed = this.parts.suppressions.stop(company, { ...email, tags: num }, before)
      const recipient = suppressed === null ? claimedRecipient(before) : null
      if (recipient instanceof ContentDamaged) {
        decisions.push([before, decide(before, { kind: 'damaged', at: now, message: notSent(recipient) })!])
        continue
      }
      decisions.push([before, decide(before, { kind: 'claimed', at: now, suppressed })!])
      if (recipient === null) continue
      email.recipients.push(recipient)
      transaction.recipients++
      taken++
      gathering.rooms.take(email.companyId, domain, 1)
    }
    if (taken > 0 && !work.sent) {
      work.sent = true
      this.#markSent.run(num)
      this.parts.events.append(num, company, null, sentEvent(now))
    }
    this.#apply(decisions, now, request.lease.token)
    if (taken > 0 && !works.has(num)) {
      works.set(num, work)
      this.parts.numbers.remember(email.id, { num, company, domainId: email.domainId })
      gathering.bytes += email.size
    }
    gathering.recipients += taken
    return taken
  }

  /** An unreadable email ends with a visible event instead of holding up the rest. Returns 0: nothing was taken. */
  #fail(due: readonly SqliteRecipient[], at: number, why: ContentDamaged): 0 {
    const message = notSent(why)
    this.#apply(
      due.map((before) => [before, decide(before, { kind: 'damaged', at, message })!]),
      at,
    )
    return 0
  }

  #apply(decisions: readonly [SqliteRecipient, Decision][], now: number, token: number | null = null): void {
    const { damage, recipients } = this.parts
    for (const [before, decision] of decisions) {
      damage.inRecipient(before, now, () => recipients.apply(before, decision, now, token))
    }
  }
}

function skipped({ rooms, skipDomains }: ClaimProgress, companyId: string, domain: string): boolean {
  return rooms.left(companyId, domain) <= 0 || skipDomains.has(domain)
}
