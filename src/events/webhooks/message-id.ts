/** The id of a webhook message. */
import { hash } from 'node:crypto'
import type { LogEntry } from '../../email/company-event.ts'
import type { WebhookSubject } from '../../store/store.ts'

/** Characters of an event's number in a message id, enough for the highest number. */
const DIGITS = Number.MAX_SAFE_INTEGER.toString(36).length
const MESSAGE_ID = new RegExp(`^msg_([0-9a-z]{${DIGITS}})[\\w-]{16}(?:_([0-9a-z]{1,6}))?$`)

/**
 * `part`: the recipient, if the event is one about an email as a whole that is reported per recipient; absent: one
 * message reports it.
 */
export type EventSubject = Pick<LogEntry, 'number' | 'type' | 'emailId'> & Pick<WebhookSubject, 'part'>

/**
 * The id is the same for each attempt, on every node. It encodes the event, because receivers refer to an event by this
 * id. It also covers the email, because a restored database uses numbers again, and receivers drop ids that they have
 * seen before.
 */
export function messageId(webhookId: string, { number, part, type, emailId }: EventSubject): string {
  const what = `${webhookId}:${number}:${type}:${emailId}${part === undefined ? '' : `:${part}`}`
  const digest = hash('sha256', what, 'base64url').slice(0, 16)
  const ofPart = part === undefined ? '' : `_${part.toString(36)}`
  return `msg_${number.toString(36).padStart(DIGITS, '0')}${digest}${ofPart}`
}

/** The event that a message id encodes; null: the text is not a message id. */
export function subjectOfMessage(id: string): WebhookSubject | null {
  const found = MESSAGE_ID.exec(id)
  const number = Number.parseInt(found?.[1] ?? '', 36)
  if (!Number.isSafeInteger(number)) return null
  const part = found![2]
  return part === undefined ? { number } : { number, part: Number.parseInt(part, 36) }
}
