/** The id that an event is told under. */
import { hash } from 'node:crypto'

/** Characters of an event's number in a message's id: as many as the highest has. */
const DIGITS = Number.MAX_SAFE_INTEGER.toString(36).length
const MESSAGE_ID = new RegExp(`^msg_([0-9a-z]{${DIGITS}})[\\w-]{16}$`)

/**
 * The same for the same event at each try, on every node. The event can be told from it: that is how receivers name it
 * when they ask what became of it.
 */
export function messageId(webhookId: string, number: number): string {
  const digest = hash('sha256', `${webhookId}:${number}`, 'base64url').slice(0, 16)
  return `msg_${number.toString(36).padStart(DIGITS, '0')}${digest}`
}

/** The event that a message of this webhook is about; null: it is none of its messages. */
export function eventOfMessage(webhookId: string, id: string): number | null {
  const number = Number.parseInt(MESSAGE_ID.exec(id)?.[1] ?? '', 36)
  return Number.isSafeInteger(number) && messageId(webhookId, number) === id ? number : null
}
