import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventDetail, EventType } from '../../../email/event.ts'
import { mapText } from '../../json-columns.ts'

export interface NewEvent {
  /** Position, or null for the email as a whole. */
  recipient: number | null
  type: EventType
  /** Unix ms. */
  at: number
  detail: EventDetail
}

/** Appends events to emails. The one with the highest number is the email's last event. */
export class EmailEvents {
  readonly #first: StatementSync
  readonly #next: StatementSync

  constructor(db: DatabaseSync) {
    this.#first = db.prepare(
      'INSERT INTO events (email, seq, recipient, type, at, detail) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#next = db.prepare(
      `INSERT INTO events (email, seq, recipient, type, at, detail)
       VALUES (?1, (SELECT coalesce(max(seq), -1) + 1 FROM events WHERE email = ?1), ?2, ?3, ?4, ?5)`,
    )
  }

  /** For an email that has none yet. */
  begin(email: number, events: readonly NewEvent[]): void {
    for (const [seq, { recipient, type, at, detail }] of events.entries()) {
      this.#first.run(email, seq, recipient, type, Math.round(at), mapText(detail))
    }
  }

  /** In the order of time; of two at the same moment, in the order of the list. */
  append(email: number, events: readonly NewEvent[]): void {
    const ordered = events.length > 1 ? events.toSorted((a, b) => a.at - b.at) : events
    for (const { recipient, type, at, detail } of ordered) {
      this.#next.run(email, recipient, type, Math.round(at), mapText(detail))
    }
  }
}
