import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AttemptRecord, RecipientRecord, Recorded } from '../../store.ts'
import { one } from '../rows.ts'
import { type Cancellation, canceledEvent } from './cancellation.ts'
import type { EmailEvents, PlacedEvent } from './email-events.ts'
import type { EmailNumbers } from './email-numbers.ts'
import type { Holds } from './holds.ts'
import type { Lanes } from './lanes.ts'
import type { Suppressions } from './suppressions.ts'

export interface RecordParts {
  events: EmailEvents
  numbers: EmailNumbers
  lanes: Lanes
  suppressions: Suppressions
  holds: Holds
  cancellation: Cancellation
}

interface Place {
  address: string
  domain: string
}

/** Writes down what became of recipients. */
export class Recording {
  readonly #parts: RecordParts
  readonly #place: StatementSync
  readonly #tried: StatementSync
  readonly #untried: StatementSync
  readonly #attempt: StatementSync
  readonly #captured: StatementSync

  constructor(db: DatabaseSync, parts: RecordParts) {
    this.#parts = parts
    this.#place = db.prepare('SELECT address, domain FROM recipients WHERE email = ? AND position = ?')
    this.#tried = db.prepare(
      `UPDATE recipients SET state = ?, due_at = ?, lease = NULL, attempts = attempts + ?, preferred_server = ?,
         uncertain = ?, suspicion = ?, server = ?, last_code = ?, last_message = ?, postponed_since = ?
       WHERE email = ? AND position = ? AND state = 'sending' AND lease = ?`,
    )
    this.#untried = db.prepare(
      `UPDATE recipients SET state = ?, due_at = ?, lease = NULL, suspicion = max(suspicion, ?),
         last_message = coalesce(?, last_message),
         postponed_since = coalesce(?, postponed_since)
       WHERE email = ? AND position = ? AND state = 'sending' AND lease = ?`,
    )
    this.#attempt = db.prepare(
      `INSERT INTO attempts (email, seq, recipients, started_at, duration, server, tls, dialogue)
       VALUES (?1, (SELECT coalesce(max(seq), -1) + 1 FROM attempts WHERE email = ?1), ?2, ?3, ?4, ?5, ?6, ?7)`,
    )
    this.#captured = db.prepare('INSERT INTO captured (email, recipients, raw) VALUES (?, ?, ?)')
  }

  /** Fencing: a recipient that is not leased under the record's token is left alone, and named in `refused`. */
  record(attempt: AttemptRecord): Recorded {
    const { emailId, startedAt, duration } = attempt
    const found = this.#parts.numbers.find(emailId)
    if (found === undefined) return { refused: attempt.recipients.map(({ position }) => position) }
    const { num, company, domainId } = found

    const refused: number[] = []
    const tried: number[] = []
    const events: PlacedEvent[] = []
    for (const given of attempt.recipients) {
      const { position } = given
      const toCancel = this.#parts.cancellation.requested(num, position)
      const recipient =
        toCancel && given.state === 'waiting' ? canceledInstead(given, startedAt + duration) : given
      if (!this.#move(num, attempt, recipient)) {
        refused.push(position)
        continue
      }
      if (toCancel) this.#parts.cancellation.done(num, position)
      if (recipient.tried) tried.push(position)
      for (const event of recipient.events) events.push({ recipient: position, ...event })
      if (recipient.state !== 'waiting' && !recipient.suppress) continue
      const { address, domain } = one<Place>(this.#place, num, position)!
      if (recipient.state === 'waiting') {
        const dueAt = dueAtOf(recipient, attempt)
        this.#parts.lanes.add(company, domain, dueAt, 1)
        if (recipient.held === true) this.#parts.holds.hold(domainId, num, position, dueAt)
      }
      if (recipient.suppress) {
        const reason = recipient.message === '' ? 'refused by its server' : recipient.message
        this.#parts.suppressions.add(company, address, reason, startedAt + duration, emailId)
      }
    }
    if (tried.length > 0) this.#writeAttempt(num, attempt, JSON.stringify(tried))
    this.#parts.events.appendAll(num, company, events)
    return { refused }
  }

  /** False when the recipient is not leased under the attempt's token. */
  #move(num: number, attempt: AttemptRecord, recipient: RecipientRecord): boolean {
    const { position, state, preferredServer, uncertain, code, message } = recipient
    const { postponedSince = null, suspicion = 0 } = recipient
    const dueAt = state === 'waiting' ? dueAtOf(recipient, attempt) : null
    const { leaseToken, server } = attempt
    const { changes } = recipient.tried
      ? this.#tried.run(
          state,
          dueAt,
          postponedSince === null ? 1 : 0,
          preferredServer,
          uncertain ? 1 : 0,
          suspicion,
          server,
          code,
          message,
          postponedSince,
          num,
          position,
          leaseToken,
        )
      : this.#untried.run(
          state,
          dueAt,
          suspicion,
          message === '' ? null : message,
          postponedSince,
          num,
          position,
          leaseToken,
        )
    return changes === 1
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
