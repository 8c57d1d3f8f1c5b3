import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventDetail, EventType } from '../../../events/event.ts'
import { mapText, one } from '../rows.ts'

export interface NewEvent {
  /** Position, or null for the email as a whole. */
  recipient: number | null
  type: EventType
  /** Unix ms. */
  at: number
  detail: EventDetail
}

/** Appends events to emails and keeps `last_event` in step. */
export class EmailEvents {
  readonly #insert: StatementSync
  readonly #last: StatementSync
  readonly #count: StatementSync

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      'INSERT INTO events (email, seq, recipient, type, at, detail) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#last = db.prepare('UPDATE emails SET last_event = ?, last_event_at = ? WHERE num = ?')
    this.#count = db.prepare('SELECT max(seq) AS seq FROM events WHERE email = ?')
  }

  /** For an email that has none yet and whose row already names the last of them. */
  begin(email: number, events: readonly NewEvent[]): void {
    this.#write(email, 0, events)
  }

  /** The last in time becomes `last_event`; of two at the same moment the later in the list. */
  append(email: number, events: readonly NewEvent[]): void {
    if (events.length === 0) return
    this.#write(email, (one<{ seq: number | null }>(this.#count, email)?.seq ?? -1) + 1, events)
    const last = latest(events)
    this.#last.run(last.type, Math.round(last.at), email)
  }

  #write(email: number, first: number, events: readonly NewEvent[]): void {
    let seq = first
    for (const { recipient, type, at, detail } of events) {
      this.#insert.run(email, seq++, recipient, type, Math.round(at), mapText(detail))
    }
  }
}

export function latest(events: readonly NewEvent[]): NewEvent {
  return events.reduce((last, event) => (event.at >= last.at ? event : last))
}
