import { decide } from '../../../email/lifecycle.ts'
import { inForce } from '../../cold/pauses.ts'
import type { RetryRequest } from '../../store.ts'
import type { RetryChunk, RetryPlace } from '../protocol.ts'
import { RecipientQuery, type SqliteRecipient } from '../recipient-rows.ts'
import { one } from '../rows.ts'
import type { LaneKey } from './lane-changes.ts'
import { WriteOperation } from './parts.ts'

/** Recipients, and lanes, looked at in one operation, so that a long retry does not hold up commits. */
const CHUNK = 500

/** Sorts before every recipient. */
const START = { dueAt: Number.MIN_SAFE_INTEGER, email: Number.MIN_SAFE_INTEGER, position: -1 }

type RetryCursor = Pick<RetryPlace, 'dueAt' | 'email' | 'position'>

/** `unsent`, 1 or 0: its email has not been begun, and waits for the time that its sender gave. */
interface WaitingRecipient extends SqliteRecipient {
  unsent: number
}

/** Makes recipients that wait for another time due now, by hand: lane by lane, or those of one email. */
export class Retry extends WriteOperation {
  readonly #laneAfter = this.db.prepare(
    `SELECT company, domain FROM lanes
     WHERE (company, domain) > (?, ?) AND company BETWEEN ? AND ? ORDER BY company, domain LIMIT 1`,
  )
  readonly #laneAtDomain = this.db.prepare(
    `SELECT l.company, l.domain FROM companies c CROSS JOIN lanes l ON l.company = c.num AND l.domain = ?
     WHERE c.num > ? AND c.num BETWEEN ? AND ? ORDER BY c.num LIMIT 1`,
  )
  readonly #paused = this.db.prepare(
    `SELECT 1 AS paused FROM pauses p WHERE company IN (0, ?) AND domain IN ('', ?) AND ${inForce('?')} LIMIT 1`,
  )
  readonly #waiting: RecipientQuery<WaitingRecipient> = new RecipientQuery(
    this.db,
    `INDEXED BY recipients_waiting CROSS JOIN emails e ON e.num = r.email
     WHERE r.state = 'waiting' AND r.company = ?1 AND r.domain = ?2 AND r.due_at > ?3
       AND (r.due_at, r.email, r.position) > (?4, ?5, ?6)
     ORDER BY r.due_at, r.email, r.position LIMIT ?7`,
    { unsent: 'e.sent = 0' },
  )
  readonly #ofEmail: RecipientQuery<WaitingRecipient> = new RecipientQuery(
    this.db,
    `CROSS JOIN emails e ON e.num = r.email
     WHERE r.email = ? AND r.position BETWEEN ? AND ? AND r.state = 'waiting'`,
    { unsent: 'e.sent = 0' },
  )
  readonly #firstDue = this.db.prepare(
    `SELECT due_at AS at FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? ORDER BY due_at LIMIT 1`,
  )

  /** One step, from `place` on. Damaged rows stay as they are, and are reported. */
  chunk(request: RetryRequest, place: RetryPlace | null): RetryChunk {
    const chunk: RetryChunk = { retried: 0, scheduled: 0, paused: 0, held: 0, next: null }
    if (request.emailId !== null) this.#retryEmail(request, request.emailId, chunk)
    else this.#retryLanes(request, place, chunk)
    this.parts.lanes.writeAround(request.now)
    if (chunk.retried > 0) this.parts.changes.queue = true
    return chunk
  }

  #retryEmail(request: RetryRequest, emailId: string, chunk: RetryChunk): void {
    const { numbers, companies, damage } = this.parts
    const num = numbers.find(emailId)?.num
    if (num === undefined || damage.email(num, request.now)) return
    const company = request.companyId === null ? null : companies.find(request.companyId)
    const { position: first = 0, position: last = Number.MAX_SAFE_INTEGER } = request
    const found = damage.inEmail(num, request.now, () => this.#ofEmail.all(num, first, last))
    const wanted = found.filter((recipient) => {
      const ofCompany = company === null || recipient.company === company
      return ofCompany && (request.domains?.includes(recipient.domain) ?? true)
    })
    for (const rows of Map.groupBy(wanted, ({ domain }) => domain).values()) {
      this.#retryRows(rows[0]!, rows, request, chunk)
    }
  }

  #retryLanes(request: RetryRequest, place: RetryPlace | null, chunk: RetryChunk): void {
    const { now } = request
    let lane: LaneKey | undefined = place ?? this.#next(request, { company: -1, domain: '' })
    let from: RetryCursor = place ?? START
    let rest = CHUNK
    for (let looks = 0; lane !== undefined; looks++) {
      if (rest <= 0 || looks === CHUNK) {
        chunk.next = { ...lane, dueAt: from.dueAt, email: from.email, position: from.position }
        return
      }
      const rows = this.#rowsOf(lane, now, from, rest)
      this.#retryRows(lane, rows, request, chunk)
      rest -= rows.length
      from = START
      if (rest <= 0) from = placeOf(rows.at(-1)!)
      else lane = this.#next(request, lane)
    }
  }

  #rowsOf(lane: LaneKey, now: number, from: RetryCursor, limit: number): WaitingRecipient[] {
    const { damage } = this.parts
    const { company, domain } = lane
    if (damage.lane(company, domain, now)) return []
    return damage.inLane(company, domain, now, () => {
      const { dueAt, email, position } = from
      return this.#waiting.all(company, domain, now, dueAt, email, position, limit)
    })
  }

  #retryRows(
    lane: LaneKey,
    rows: readonly WaitingRecipient[],
    { emailId, goesFirst = false, now, byMember = false }: RetryRequest,
    chunk: RetryChunk,
  ): void {
    const { recipients, damage } = this.parts
    if (rows.length === 0) return
    const paused = one(this.#paused, lane.company, lane.domain, now) !== undefined
    const named = emailId !== null
    const ahead = named && goesFirst ? { firstDueAt: this.#firstOf(lane, now) } : null
    for (const before of rows) {
      const waits = { named, paused, scheduled: before.unsent === 1, ahead, byMember }
      const decision = decide(before, { kind: 'retry', at: now, ...waits })
      if (decision === null) continue
      if (decision.left !== undefined) chunk[decision.left]++
      else if (!damage.email(before.email, now)) {
        damage.inRecipient(before, now, () => recipients.apply(before, decision, now))
        chunk.retried++
      }
    }
  }

  /** When the first mail of the lane is due, or was. */
  #firstOf({ company, domain }: LaneKey, now: number): number | null {
    const find = () => one<{ at: number }>(this.#firstDue, company, domain)?.at ?? null
    const found = this.parts.damage.inLane(company, domain, now, find)
    return typeof found === 'number' ? found : null
  }

  #next({ companyId, domains }: RetryRequest, after: LaneKey): LaneKey | undefined {
    const company = companyId === null ? undefined : (this.parts.companies.find(companyId) ?? -1)
    const first = company ?? 0
    const last = company ?? Number.MAX_SAFE_INTEGER
    if (domains === null) return one<LaneKey>(this.#laneAfter, after.company, after.domain, first, last)
    // Domain by domain, in the order of the request.
    for (let at = Math.max(domains.indexOf(after.domain), 0); at < domains.length; at++) {
      const domain = domains[at]!
      const from = domain === after.domain ? after.company : -1
      const lane = one<LaneKey>(this.#laneAtDomain, domain, from, first, last)
      if (lane !== undefined) return lane
    }
    return undefined
  }
}

function placeOf({ dueAt, email, position }: SqliteRecipient): RetryCursor {
  return { dueAt: dueAt!, email, position }
}
