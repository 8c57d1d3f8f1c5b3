/** The id that an event is told under. */
import { hash } from 'node:crypto'
import type { LoggedEvent } from '../../email/event.ts'

/** Characters of an event's number in a message's id: as many as the highest has. */
const DIGITS = Number.MAX_SAFE_INTEGER.toString(36).length
const MESSAGE_ID = new RegExp(`^msg_([0-9a-z]{${DIGITS}})[\\w-]{16}$`)

export type ToldAbout = Pick<LoggedEvent, 'number' | 'type' | 'emailId'>

/**
 * The same for the same event at each try, on every node. The number of the event can be told from it: receivers name
 * the event so when they ask what became of it. The email is part of it because a restored database gives numbers
 * again: who drops what he has seen before would drop other events.
 */
export function messageId(webhookId: string, { number, type, emailId }: ToldAbout): string {
  const digest = hash('sha256', `${webhookId}:${number}:${type}:${emailId}`, 'base64url').slice(0, 16)
  return `msg_${number.toString(36).padStart(DIGITS, '0')}${digest}`
}

/** Number of the event that a message says it is about; null: it is the id of none. */
export function numberOfMessage(id: string): number | null {
  const number = Number.parseInt(MESSAGE_ID.exec(id)?.[1] ?? '', 36)
  return Number.isSafeInteger(number) ? number : null
}
