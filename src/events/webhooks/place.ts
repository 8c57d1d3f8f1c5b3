/** A position in the log: behind an event, or within an event that is reported once per recipient. */
import { type ToldEvent, WHOLE } from '../../email/told-event.ts'
import type { WebhookTelling } from '../../store/store.ts'

export interface Place {
  /** The number of an event. */
  number: number
  /** The position of the last recipient that was reported; infinite: the whole event was. */
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

/** The place right before an event or part. */
export function placeBefore({ event: { number }, part }: ToldEvent): Place {
  return part <= 0 ? behind(number - 1) : { number, recipient: part - 1 }
}

/** Returns a number below 0 if `one` comes first. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.number !== other.number) return one.number - other.number
  return one.recipient === other.recipient ? 0 : one.recipient < other.recipient ? -1 : 1
}

/** The number of the last event that was reported completely. */
export function wholeUpTo({ number, recipient }: Place): number {
  return Number.isFinite(recipient) ? number - 1 : number
}

/** The identity that the store uses. */
export function tellingOf({ event: { number }, part }: Pick<ToldEvent, 'event' | 'part'>): WebhookTelling {
  return part === WHOLE ? { number } : { number, part }
}

/** Equal tellings have equal keys. */
export function keyOf({ number, part = WHOLE }: WebhookTelling): string {
  return `${number} ${part}`
}
