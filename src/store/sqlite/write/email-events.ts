import type { NewCompanyEvent } from '../../../email/company-event.ts'
import type { NewEvent } from '../../../email/event.ts'
import { mapText } from '../../json-columns.ts'
import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'
import type { StateCache } from './state-caches.ts'

/**
 * Appends events to the log. Their numbers rise in the order of commits, because only one transaction at a time writes.
 * The last number is stored once per transaction, before the transaction commits.
 */
export class EmailEvents extends OnConnection implements StateCache {
  readonly #last = this.db.prepare("SELECT value FROM counters WHERE name = 'events'")
  readonly #keep = this.db.prepare("UPDATE counters SET value = ? WHERE name = 'events'")
  readonly #insert = this.db.prepare(
    'INSERT INTO events (number, email, company, recipient, type, at, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  /** The number of the last event; null until it has been read. */
  #number: number | null = null
  #settled = true

  /**
   * @param email null: the event is about the company itself
   * @param recipient position; null: the event is about the email as a whole
   */
  append(
    email: number | null,
    company: number,
    recipient: number | null,
    { type, at, detail }: NewEvent | NewCompanyEvent,
  ): void {
    this.#number ??= one<{ value: number }>(this.#last)!.value
    this.#number++
    this.#settled = false
    this.#insert.run(this.#number, email, company, recipient, type, Math.round(at), mapText(detail))
  }

  settle(): void {
    if (this.#settled) return
    this.#keep.run(this.#number)
    this.#settled = true
  }

  forget(): void {
    this.#number = null
    this.#settled = true
  }
}
