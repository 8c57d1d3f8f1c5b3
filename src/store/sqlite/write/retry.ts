import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RetryRequest } from '../../store.ts'
import type { RetryChunk, RetryPlace } from '../protocol.ts'
import { all, one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Damage } from './damage.ts'
import type { EmailNumbers } from './email-numbers.ts'
import type { Lanes } from './lanes.ts'

/** Recipients, and lanes, looked at in one operation, so that a long retry does not hold up commits. */
const CHUNK = 500

/** Before every domain and every recipient. */
const START = { dueAt: Number.MIN_SAFE_INTEGER, email: Number.MIN_SAFE_INTEGER, position: -1 }

interface Lane {
  company: number
  domain: string
}

interface Row {
  dueAt: number
  email: number
  position: number
  scheduled: number
  held: number
}

export interface RetryParts {
  companies: CompanyNumbers
  numbers: EmailNumbers
  lanes: Lanes
  damage: Damage
  changes: Changes
}

/** Makes what waits for another time due now, at the operator's word: lane by lane, or the recipients of one email. */
export class Retry {
  readonly #parts: RetryParts
  readonly #laneAfter: StatementSync
  readonly #laneAtDomain: StatementSync
  readonly #paused: StatementSync
  readonly #waiting: StatementSync
  readonly #ofEmail: StatementSync
  readonly #due: StatementSync

  constructor(db: DatabaseSync, parts: RetryParts) {
    this.#parts = parts
    this.#laneAfter = db.prepare(
      `SELECT company, domain FROM lanes
       WHERE (company, domain) > (?, ?) AND company BETWEEN ? AND ? ORDER BY company, domain LIMIT 1`,
    )
    this.#laneAtDomain = db.prepare(
      `SELECT l.company, l.domain FROM companies c CROSS JOIN lanes l ON l.company = c.num AND l.domain = ?
       WHERE c.num > ? AND c.num BETWEEN ? AND ? ORDER BY c.num LIMIT 1`,
    )
    this.#paused = db.prepare(
      `SELECT 1 AS paused FROM pauses WHERE company IN (0, ?) AND domain IN ('', ?) LIMIT 1`,
    )
    const state = `e.sent = 0 AS scheduled, EXISTS (
        SELECT 1 FROM held_recipients h WHERE h.email = r.email AND h.position = r.position AND h.due_at = r.due_at
      ) AND r.postponed_since IS NULL AS held`
    this.#waiting = db.prepare(
      `SELECT r.due_at AS dueAt, r.email, r.position, ${state}
       FROM recipients r INDEXED BY recipients_waiting CROSS JOIN emails e ON e.num = r.email
       WHERE r.state = 'waiting' AND r.company = ?1 AND r.domain = ?2 AND r.due_at > ?3
         AND (r.due_at, r.email, r.position) > (?4, ?5, ?6)
       ORDER BY r.due_at, r.email, r.position LIMIT ?7`,
    )
    this.#ofEmail = db.prepare(
      `SELECT r.due_at AS dueAt, r.email, r.position, r.company, r.domain, ${state}
       FROM recipients r CROSS JOIN emails e ON e.num = r.email
       WHERE r.email = ? AND r.state = 'waiting' AND r.due_at > ?`,
    )
    this.#due = db.prepare(
      'UPDATE recipients SET due_at = ?, postponed_since = 0 WHERE email = ? AND position = ?',
    )
  }

  /** One step, from `place` on. What is damaged stays as it is, and is told. */
  chunk(request: RetryRequest, place: RetryPlace | null): RetryChunk {
    const chunk: RetryChunk = { retried: 0, scheduled: 0, paused: 0, held: 0, next: null }
    if (request.emailId !== null) this.#retryEmail(request, request.emailId, chunk)
    else this.#retryLanes(request, place, chunk)
    if (chunk.retried > 0) this.#parts.changes.queue = true
    return chunk
  }

  #retryEmail(request: RetryRequest, emailId: string, chunk: RetryChunk): void {
    const { numbers, companies, damage } = this.#parts
    const num = numbers.find(emailId)?.num
    if (num === undefined || damage.email(num, request.now)) return
    const company = request.companyId === null ? null : companies.find(request.companyId)
    const found = damage.inEmail(num, request.now, () => all<Row & Lane>(this.#ofEmail, num, request.now))
    const wanted = found.filter((row) => {
      const ofCompany = company === null || row.company === company
      return ofCompany && (request.domain === null || row.domain === request.domain)
    })
    for (const rows of Map.groupBy(wanted, ({ domain }) => domain).values()) {
      this.#retryRows(rows[0]!, rows, request, chunk)
    }
  }

  #retryLanes(request: RetryRequest, place: RetryPlace | null, chunk: RetryChunk): void {
    const { now } = request
    let lane: Lane | undefined = place ?? this.#next(request, { company: -1, domain: '' })
    let from: Pick<Row, 'dueAt' | 'email' | 'position'> = place ?? START
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
      if (rest <= 0) from = rows.at(-1)!
      else lane = this.#next(request, lane)
    }
  }

  #rowsOf(lane: Lane, now: number, from: Pick<Row, 'dueAt' | 'email' | 'position'>, limit: number): Row[] {
    const { damage } = this.#parts
    const { company, domain } = lane
    if (damage.lane(company, domain, now)) return []
    return damage.inLane(company, domain, now, () => {
      return all<Row>(this.#waiting, company, domain, now, from.dueAt, from.email, from.position, limit)
    })
  }

  #retryRows(lane: Lane, rows: readonly Row[], { emailId, now }: RetryRequest, chunk: RetryChunk): void {
    const { lanes, damage } = this.#parts
    const { company, domain } = lane
    if (rows.length === 0) return
    if (one(this.#paused, company, domain) !== undefined) {
      chunk.paused += rows.length
      return
    }
    let retried = 0
    for (const { email, position, scheduled, held } of rows) {
      if (held !== 0) chunk.held++
      else if (scheduled !== 0 && emailId === null) chunk.scheduled++
      else if (damage.none || !damage.email(email, now)) {
        damage.inRecipient({ email, company, domain }, now, () => this.#due.run(now, email, position))
        retried++
      }
    }
    chunk.retried += retried
    if (retried > 0) damage.inLane(company, domain, now, () => lanes.refresh(company, domain, 0))
  }

  #next({ companyId, domain }: RetryRequest, after: Lane): Lane | undefined {
    const company = companyId === null ? undefined : (this.#parts.companies.find(companyId) ?? -1)
    const first = company ?? 0
    const last = company ?? Number.MAX_SAFE_INTEGER
    if (domain === null) return one<Lane>(this.#laneAfter, after.company, after.domain, first, last)
    return one<Lane>(this.#laneAtDomain, domain, after.company, first, last)
  }
}
