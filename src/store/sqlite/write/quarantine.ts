import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RELEASED, releasedEvent, setAsideEvent } from '../../../email/quarantine-events.ts'
import type { QuarantineScope, SetAside } from '../../store.ts'
import { all } from '../rows.ts'
import { type Cancellation, canceledEvent } from './cancellation.ts'
import type { Changes } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { EmailEvents, PlacedEvent } from './email-events.ts'
import type { EmailNumbers } from './email-numbers.ts'
import type { Lanes } from './lanes.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

export interface QuarantineParts {
  companies: CompanyNumbers
  numbers: EmailNumbers
  events: EmailEvents
  lanes: Lanes
  cancellation: Cancellation
  changes: Changes
}

interface Place {
  position: number
  company: number
  domain: string
}

/** What took a process down: it is out of reach of claims and of retention until the operator releases or cancels it. */
export class Quarantine {
  readonly #parts: QuarantineParts
  readonly #leased: StatementSync
  readonly #waiting: StatementSync
  readonly #suspect: StatementSync
  readonly #inQuarantine: StatementSync
  readonly #ofEmail: StatementSync
  readonly #release: StatementSync

  constructor(db: DatabaseSync, parts: QuarantineParts) {
    this.#parts = parts
    this.#leased = db.prepare(
      `UPDATE recipients SET state = ?, lease = NULL, suspicion = 2, last_message = ?
       WHERE email = ? AND position = ? AND state = 'sending' AND lease = ?`,
    )
    this.#waiting = db.prepare(
      `UPDATE recipients SET state = 'quarantined', due_at = NULL, suspicion = 2, last_message = ?
       WHERE email = ? AND state = 'waiting' RETURNING position, company, domain`,
    )
    this.#suspect = db.prepare(
      "UPDATE recipients SET suspicion = 2 WHERE email = ? AND state IN ('waiting', 'sending')",
    )
    this.#inQuarantine = db.prepare(
      `SELECT email, position, company, domain FROM recipients INDEXED BY recipients_quarantined
       WHERE state = 'quarantined' AND company BETWEEN ? AND ? LIMIT ?`,
    )
    this.#ofEmail = db.prepare(
      `SELECT email, position, company, domain FROM recipients
       WHERE state = 'quarantined' AND email = ? AND company BETWEEN ? AND ? LIMIT ?`,
    )
    this.#release = db.prepare(
      `UPDATE recipients SET state = 'waiting', due_at = ?, suspicion = 1, last_message = ?
       WHERE email = ? AND position = ?`,
    )
  }

  setAside({ emailId, leaseToken, positions, others, at, message }: SetAside): number {
    const { numbers, events, lanes, cancellation, changes } = this.#parts
    const found = numbers.find(emailId)
    if (found === undefined) return 0
    const { num } = found
    const written: PlacedEvent[] = []
    let setAside = 0
    for (const position of positions) {
      const canceled = cancellation.requested(num, position)
      const state = canceled ? 'canceled' : 'quarantined'
      if (this.#leased.run(state, message, num, position, leaseToken).changes === 0) continue
      if (canceled) cancellation.done(num, position)
      else setAside++
      written.push(canceled ? canceledEvent(position, at, message) : setAsideEvent(position, at, message))
    }
    if (others === 'quarantine') {
      const waiting = all<Place>(this.#waiting, message, num)
      for (const { position, company, domain } of waiting) {
        lanes.refresh(company, domain, 1)
        written.push(setAsideEvent(position, at, message))
      }
      setAside += waiting.length
    }
    this.#suspect.run(num)
    events.appendAll(num, found.company, written)
    changes.queue = true
    return setAside
  }

  /** Releases at most a chunk. Returns how many; 0 when none is left. */
  releaseChunk({ companyId, emailId }: QuarantineScope, now: number): number {
    const { companies, numbers, events, lanes, changes } = this.#parts
    const num = emailId === null ? null : numbers.find(emailId)?.num
    if (num === undefined) return 0
    const range =
      companyId === null ? [0, Number.MAX_SAFE_INTEGER] : Array(2).fill(companies.number(companyId))
    const [from, to] = range as [number, number]
    const rows =
      num === null
        ? all<Place & { email: number }>(this.#inQuarantine, from, to, CHUNK)
        : all<Place & { email: number }>(this.#ofEmail, num, from, to, CHUNK)
    for (const { email, position, company, domain } of rows) {
      this.#release.run(Math.round(now), RELEASED, email, position)
      lanes.add(company, domain, Math.round(now), 1)
      events.append(email, company, position, releasedEvent(position, now))
    }
    if (rows.length > 0) changes.queue = true
    return rows.length
  }
}
