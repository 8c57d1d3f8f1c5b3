import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { NewEvent } from '../../../email/event.ts'
import { mapText } from '../../json-columns.ts'
import { one } from '../rows.ts'
import type { Memory, Remembered } from './memory.ts'

/**
 * Appends events to the log. Their numbers rise in the order of commits: only one transaction at a time writes. The
 * last number is written down once for a transaction, before it commits.
 */
export class EmailEvents implements Remembered {
  readonly #last: StatementSync
  readonly #keep: StatementSync
  readonly #insert: StatementSync
  /** Null: not known. */
  #number: number | null = null
  #settled = true

  constructor(db: DatabaseSync, memory: Memory) {
    memory.add(this)
    this.#last = db.prepare("SELECT value FROM counters WHERE name = 'events'")
    this.#keep = db.prepare("UPDATE counters SET value = ? WHERE name = 'events'")
    this.#insert = db.prepare(
      'INSERT INTO events (number, email, company, recipient, type, at, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
  }

  /** @param recipient position; null: it is about the email as a whole */
  append(email: number, company: number, recipient: number | null, { type, at, detail }: NewEvent): void {
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
