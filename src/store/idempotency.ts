/** What a request is answered whose idempotency key was used before. */
import { listOf } from './json-columns.ts'
import type { Accepted, AcceptedAll, AcceptedEmail, Idempotency, NewEmail } from './store.ts'

/** What a key was used for first. */
export interface KeyHolder extends AcceptedEmail {
  fingerprint: string
  /** All emails that came with it, as JSON; null: this one. */
  emails: string | null
}

/** Of one email. */
export function judge({ id, messageId, ...holder }: KeyHolder, { fingerprint }: Idempotency): Accepted {
  return holder.fingerprint === fingerprint && holder.emails === null
    ? { kind: 'repeated', id, messageId }
    : { kind: 'conflict' }
}

/** Of several. */
export function judgeAll(holder: KeyHolder, { fingerprint }: Idempotency): AcceptedAll {
  return holder.fingerprint === fingerprint && holder.emails !== null
    ? { kind: 'repeated', emails: emailsOf(holder) }
    : { kind: 'conflict' }
}

/** What a key stands for, in order. */
export function emailsOf({ id, messageId, emails }: Omit<KeyHolder, 'fingerprint'>): AcceptedEmail[] {
  if (emails === null) return [{ id, messageId }]
  return listOf<[string, string]>(emails).map(([id, messageId]) => ({ id, messageId }))
}

/** For the column `emails` of what a request with several brings. */
export function listedEmails(emails: readonly NewEmail[]): string {
  return JSON.stringify(emails.map(({ id, content }) => [id, content.messageId]))
}
