import { tlsText } from '../../../email/attempt-tls.ts'
import { type Decision, orCanceled } from '../../../email/lifecycle.ts'
import type { RecordResult } from '../../store.ts'
import type { WriterRecord } from '../protocol.ts'
import type { SqliteRecipient } from '../recipient-rows.ts'
import { WriteOperation } from './parts.ts'

/** Records the results of attempts. */
export class Records extends WriteOperation {
  readonly #attempt = this.db.prepare(
    `INSERT INTO attempts (email, seq, recipients, started_at, duration, source, server, tls, dialogue)
     VALUES (?1, (SELECT coalesce(max(seq), -1) + 1 FROM attempts WHERE email = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  )
  readonly #captured = this.db.prepare('INSERT INTO captured (email, recipients, raw) VALUES (?, ?, ?)')

  /** Fencing: a recipient that is not leased under the record's token is left alone, and named in `refused`. */
  record(attempt: WriterRecord): RecordResult {
    const { emailId, leaseToken } = attempt
    const at = attempt.startedAt + attempt.duration
    const { numbers, recipients, lanes } = this.parts
    const place = numbers.find(emailId)
    if (place === undefined) return { refused: attempt.recipients.map(({ position }) => position) }

    const refused: number[] = []
    const tried: number[] = []
    for (const { position, decision } of attempt.recipients) {
      if (recipients.end(place, position, decision, leaseToken)) {
        tried.push(position)
        continue
      }
      const before = recipients.find(place.num, position)
      if (before?.state !== 'sending' || before.lease !== leaseToken) {
        refused.push(position)
        continue
      }
      recipients.apply(before, asOfNow(decision, before, at), at)
      if (decision.tried) tried.push(position)
    }
    lanes.write()
    if (tried.length > 0) this.#writeAttempt(place.num, attempt, JSON.stringify(tried))
    return { refused }
  }

  #writeAttempt(num: number, attempt: WriterRecord, recipients: string): void {
    const { startedAt, duration, source, server, tls, dialogue, captured } = attempt
    const times = [Math.round(startedAt), Math.round(duration)] as const
    this.#attempt.run(num, recipients, ...times, source, server, tlsText(tls), dialogue)
    if (captured !== null) this.#captured.run(num, recipients, captured)
  }
}

/**
 * The node decided from the facts that it claimed. Others may have changed two of them since: whether a cancellation is
 * requested, and how suspect the recipient is.
 */
function asOfNow(decision: Decision, before: SqliteRecipient, at: number): Decision {
  const decided = before.cancelRequested ? orCanceled(decision, at) : decision
  const { tried, change } = decided
  if (tried || change?.suspicion === undefined || change.suspicion >= before.suspicion) return decided
  return { ...decided, change: { ...change, suspicion: before.suspicion } }
}
