import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AttemptRecord, RecipientRecord, Recorded } from '../../store.ts'
import { one } from '../rows.ts'
import { type Cancellation, canceledEvent } from './cancellation.ts'
import type { EmailEvents, NewEvent } from './email-events.ts'
import type { Holds } from './holds.ts'
import type { Lanes } from './lanes.ts'
import type { Suppressions } from './suppressions.ts'

export interface RecordParts {
  events: EmailEvents
  lanes: Lanes
  suppressions: Suppressions
  holds: Holds
  cancellation: Cancellation
}

interface Place {
  company: number
  address: string
  domain: string
}

/** Writes down what became of recipients. */
export class Recording {
  readonly #parts: RecordParts
  readonly #find: StatementSync
  readonly #tried: StatementSync
  readonly #untried: StatementSync
  readonly #attempt: StatementSync
  readonly #captured: StatementSync

  constructor(db: DatabaseSync, parts: RecordParts) {
    this.#parts = parts
    this.#find = db.prepare('SELECT num, domain_id AS domainId FROM emails WHERE id = ?')
    this.#tried = db.prepare(
      `UPDATE recipients SET state = ?, due_at = ?, lease = NULL, attempts = attempts + 1, preferred_server = ?,
         uncertain = ?, server = ?, last_code = ?, last_message = ?
       WHERE email = ? AND position = ? AND state = 'leased' AND lease = ? RETURNING company, address, domain`,
    )
    this.#untried = db.prepare(
      `UPDATE recipients SET state = ?, due_at = ?, lease = NULL, last_message = coalesce(?, last_message)
       WHERE email = ? AND position = ? AND state = 'leased' AND lease = ? RETURNING company, address, domain`,
    )
    this.#attempt = db.prepare(
      `INSERT INTO attempts (email, seq, recipients, started_at, duration, server, tls, dialogue)
       SELECT ?1, coalesce(max(seq), -1) + 1, ?2, ?3, ?4, ?5, ?6, ?7 FROM attempts WHERE email = ?1`,
    )
    this.#captured = db.prepare('INSERT INTO captured (email, recipients, raw) VALUES (?, ?, ?)')
  }

  /** Fencing: a recipient that is not leased under the record's token is left alone, and named in `refused`. */
  record(attempt: AttemptRecord): Recorded {
    const { emailId, startedAt, duration } = attempt
    const found = one<{ num: number; domainId: string }>(this.#find, emailId)
    if (found === undefined) return { refused: attempt.recipients.map(({ position }) => position) }
    const { num, domainId } = found

    const refused: number[] = []
    const tried: number[] = []
    const events: NewEvent[] = []
    for (const given of attempt.recipients) {
      const { position } = given
      const toCancel = this.#parts.cancellation.requested(num, position)
      const recipient =
        toCancel && given.state === 'waiting' ? canceledInstead(given, startedAt + duration) : given
      const place = this.#move(num, attempt, recipient)
      if (place === undefined) {
        refused.push(position)
        continue
      }
      if (toCancel) this.#parts.cancellation.done(num, position)
      if (recipient.tried) tried.push(position)
      for (const event of recipient.events) events.push({ recipient: position, ...event })
      if (recipient.state === 'waiting') {
        const dueAt = dueAtOf(recipient, attempt)
        this.#parts.lanes.add(place.company, place.domain, dueAt)
        if (recipient.held === true) this.#parts.holds.hold(domainId, num, position, dueAt)
      }
      if (recipient.suppress) {
        const reason = recipient.message === '' ? 'refused by its server' : recipient.message
        this.#parts.suppressions.add(place.company, place.address, reason, startedAt + duration, emailId)
      }
    }
    if (tried.length > 0) this.#writeAttempt(num, attempt, JSON.stringify(tried))
    this.#parts.events.append(num, events)
    return { refused }
  }

  #move(num: number, attempt: AttemptRecord, recipient: RecipientRecord): Place | undefined {
    const { position, state, preferredServer, uncertain, code, message } = recipient
    const dueAt = state === 'waiting' ? dueAtOf(recipient, attempt) : null
    const token = attempt.leaseToken
    if (!recipient.tried) {
      return one<Place>(this.#untried, state, dueAt, message === '' ? null : message, num, position, token)
    }
    const lost = uncertain ? 1 : 0
    const { server } = attempt
    return one<Place>(
      this.#tried,
      state,
      dueAt,
      preferredServer,
      lost,
      server,
      code,
      message,
      num,
      position,
      token,
    )
  }

  #writeAttempt(num: number, attempt: AttemptRecord, recipients: string): void {
    const { startedAt, duration, server, tls, dialogue, captured } = attempt
    this.#attempt.run(num, recipients, Math.round(startedAt), Math.round(duration), server, tls, dialogue)
    if (captured !== null) this.#captured.run(num, recipients, captured)
  }
}

/** What was to be canceled does not wait for another attempt. */
function canceledInstead(recipient: RecipientRecord, at: number): RecipientRecord {
  const { type, detail } = canceledEvent(recipient.position, at, recipient.message)
  return { ...recipient, state: 'canceled', dueAt: null, events: [{ type, at, detail }] }
}

/** A recipient that waits without a time is due as soon as the attempt ended. */
function dueAtOf(recipient: RecipientRecord, attempt: AttemptRecord): number {
  return Math.round(recipient.dueAt ?? attempt.startedAt + attempt.duration)
}
