/** Decides the answer to a request whose idempotency key was used before. */
import { listOf } from './json-columns.ts'
import type { AcceptAllResult, AcceptedEmail, AcceptResult, Idempotency, NewEmail } from './store.ts'

/** The first use of a key. */
export interface KeyHolder extends AcceptedEmail {
  fingerprint: string
  /** All emails of the request, as JSON; null: only this one. */
  emails: string | null
}

/** Judges the key of a request with one email. */
export function judge({ id, messageId, ...holder }: KeyHolder, { fingerprint }: Idempotency): AcceptResult {
  return holder.fingerprint === fingerprint && holder.emails === null
    ? { kind: 'repeated', id, messageId }
    : { kind: 'conflict' }
}

/** Judges the key of a request with several emails. */
export function judgeAll(holder: KeyHolder, { fingerprint }: Idempotency): AcceptAllResult {
  return holder.fingerprint === fingerprint && holder.emails !== null
    ? { kind: 'repeated', emails: emailsOf(holder) }
    : { kind: 'conflict' }
}

/** The emails that a key stands for, in order. */
export function emailsOf({ id, messageId, emails }: Omit<KeyHolder, 'fingerprint'>): AcceptedEmail[] {
  if (emails === null) return [{ id, messageId }]
  return listOf<[string, string]>(emails).map(([id, messageId]) => ({ id, messageId }))
}

/** The column `emails` of a request with several emails. */
export function listedEmails(emails: readonly NewEmail[]): string {
  return JSON.stringify(emails.map(({ id, content }) => [id, content.messageId]))
}
