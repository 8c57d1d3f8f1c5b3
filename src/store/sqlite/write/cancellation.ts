import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Canceled } from '../../store.ts'
import { all, one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { EmailEvents, PlacedEvent } from './email-events.ts'
import type { Lanes } from './lanes.ts'
import type { Memory, Remembered } from './memory.ts'

interface Ended {
  email: number
  position: number
  company: number
  domain: string
}

/** Ends what waits at the operator's word; what is under way ends with its attempt, unless the attempt ends it. */
export class Cancellation implements Remembered {
  readonly #parts: { events: EmailEvents; lanes: Lanes; changes: Changes }
  readonly #find: StatementSync
  readonly #end: StatementSync
  readonly #endQuarantined: StatementSync
  readonly #request: StatementSync
  readonly #some: StatementSync
  readonly #requested: StatementSync
  readonly #drop: StatementSync
  readonly #waiting: StatementSync
  readonly #endOne: StatementSync
  /** Whether there are requests at all; null: not known. Spares the usual record a look-up for each recipient. */
  #any: boolean | null = null

  constructor(
    db: DatabaseSync,
    parts: { events: EmailEvents; lanes: Lanes; changes: Changes; memory: Memory },
  ) {
    parts.memory.add(this)
    this.#parts = parts
    this.#find = db.prepare('SELECT num FROM emails WHERE id = ?')
    this.#end = db.prepare(
      `UPDATE recipients SET state = 'canceled', due_at = NULL WHERE email = ? AND state = 'waiting'
       RETURNING email, position, company, domain`,
    )
    this.#endQuarantined = db.prepare(
      `UPDATE recipients SET state = 'canceled' WHERE email = ? AND state = 'quarantined'
       RETURNING email, position, company, domain`,
    )
    this.#request = db.prepare(
      `INSERT OR IGNORE INTO cancel_requests (email, position)
       SELECT email, position FROM recipients WHERE email = ? AND state = 'sending'`,
    )
    this.#some = db.prepare('SELECT EXISTS (SELECT 1 FROM cancel_requests) AS some')
    this.#requested = db.prepare(
      'SELECT 1 AS requested FROM cancel_requests WHERE email = ? AND position = ?',
    )
    this.#drop = db.prepare('DELETE FROM cancel_requests WHERE email = ? AND position = ?')
    this.#waiting = db.prepare(
      `SELECT r.email, r.position FROM cancel_requests AS c
       CROSS JOIN recipients AS r ON r.email = c.email AND r.position = c.position WHERE r.state = 'waiting'`,
    )
    this.#endOne = db.prepare(
      `UPDATE recipients SET state = 'canceled', due_at = NULL WHERE email = ? AND position = ?
       RETURNING email, position, company, domain`,
    )
  }

  cancel(emailId: string, at: number): Canceled {
    const num = one<{ num: number }>(this.#find, emailId)?.num
    if (num === undefined) return { canceled: 0, sending: 0 }
    const ended = all<Ended>(this.#end, num)
    const setAside = all<Ended>(this.#endQuarantined, num)
    this.#tell(ended, at)
    this.#append(setAside, at)
    const sending = Number(this.#request.run(num).changes)
    if (sending > 0) {
      this.#any = true
      this.#parts.changes.stops = true
    }
    return { canceled: ended.length + setAside.length, sending }
  }

  /** Is this recipient to be canceled when its attempt ends? */
  requested(email: number, position: number): boolean {
    this.#any ??= one<{ some: number }>(this.#some)!.some === 1
    return this.#any && one(this.#requested, email, position) !== undefined
  }

  /** Its attempt has ended. */
  done(email: number, position: number): void {
    this.#drop.run(email, position)
  }

  /** Ends those that are waiting again although they were to be canceled: their lease ended without a result. */
  endWaiting(at: number): void {
    const waiting = all<{ email: number; position: number }>(this.#waiting)
    const ended = waiting.flatMap(({ email, position }) => {
      this.#drop.run(email, position)
      return all<Ended>(this.#endOne, email, position)
    })
    this.#tell(ended, at)
  }

  /** A transaction was undone, or another process wrote. */
  forget(): void {
    this.#any = null
  }

  #tell(ended: Ended[], at: number): void {
    for (const { company, domain } of ended) this.#parts.lanes.refresh(company, domain, 1)
    this.#append(ended, at)
    if (ended.length > 0) this.#parts.changes.queue = true
  }

  #append(ended: Ended[], at: number): void {
    for (const { email, company, position } of ended) {
      this.#parts.events.append(email, company, position, canceledEvent(position, at))
    }
  }
}

export function canceledEvent(recipient: number, at: number, message?: string): PlacedEvent {
  return { recipient, type: 'canceled', at, detail: message === undefined ? {} : { message } }
}
