/** A position in the log: behind an event, or within an event that is told of each recipient. */
import { type ToldEvent, WHOLE } from '../../email/told-event.ts'
import type { WebhookTelling } from '../../store/store.ts'

export interface Place {
  /** The number of an event. */
  number: number
  /** The position of the last recipient it was told of; infinite: it was told whole. */
  recipient: number
}

/** Behind the whole event. */
export function behind(number: number): Place {
  return { number, recipient: Number.POSITIVE_INFINITY }
}

/** The place right behind an event, or behind one of its parts. */
export function placeOf({ event: { number }, email, part }: ToldEvent): Place {
  const isLast = part === WHOLE || part + 1 === email?.recipientCount
  return isLast ? behind(number) : { number, recipient: part }
}

/** The place right before it. */
export function placeBefore({ event: { number }, part }: ToldEvent): Place {
  return part <= 0 ? behind(number - 1) : { number, recipient: part - 1 }
}

/** Gives a number below 0 where `one` comes first. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.number !== other.number) return one.number - other.number
  return one.recipient === other.recipient ? 0 : one.recipient < other.recipient ? -1 : 1
}

/** The number of the last event that was told whole. */
export function wholeUpTo({ number, recipient }: Place): number {
  return Number.isFinite(recipient) ? number - 1 : number
}

/** The name that the store has for it. */
export function tellingOf({ event: { number }, part }: Pick<ToldEvent, 'event' | 'part'>): WebhookTelling {
  return part === WHOLE ? { number } : { number, part }
}

/** Two tellings have the same key when they are the same. */
export function keyOf({ number, part = WHOLE }: WebhookTelling): string {
  return `${number} ${part}`
}
