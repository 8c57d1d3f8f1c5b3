/** The id that an event is told under. */
import { hash } from 'node:crypto'
import type { LoggedEvent } from '../../email/event.ts'
import type { WebhookTelling } from '../../store/store.ts'

/** Characters of an event's number in a message's id: as many as the highest has. */
const DIGITS = Number.MAX_SAFE_INTEGER.toString(36).length
const MESSAGE_ID = new RegExp(`^msg_([0-9a-z]{${DIGITS}})[\\w-]{16}(?:_([0-9a-z]{1,6}))?$`)

/** `part`: the recipient that an event about an email as a whole is told of; absent: it is told whole. */
export type ToldAbout = Pick<LoggedEvent, 'number' | 'type' | 'emailId'> & Pick<WebhookTelling, 'part'>

/**
 * The same for the same event at each try, on every node. What it is about can be told from it: receivers name the
 * event so when they ask what became of it. The email is part of it because a restored database gives numbers again,
 * and receivers drop ids that they have seen before.
 */
export function messageId(webhookId: string, { number, part, type, emailId }: ToldAbout): string {
  const what = `${webhookId}:${number}:${type}:${emailId}${part === undefined ? '' : `:${part}`}`
  const digest = hash('sha256', what, 'base64url').slice(0, 16)
  const ofPart = part === undefined ? '' : `_${part.toString(36)}`
  return `msg_${number.toString(36).padStart(DIGITS, '0')}${digest}${ofPart}`
}

/** What a message says that it is about; null: it is the id of none. */
export function tellingOfMessage(id: string): WebhookTelling | null {
  const found = MESSAGE_ID.exec(id)
  const number = Number.parseInt(found?.[1] ?? '', 36)
  if (!Number.isSafeInteger(number)) return null
  const part = found![2]
  return part === undefined ? { number } : { number, part: Number.parseInt(part, 36) }
}
