/** A position in the log: behind an event, or within an event that is reported once per recipient. */
import type { LogEntry } from '../email/company-event.ts'
import { type EventNotice, WHOLE } from '../email/event-notice.ts'

export interface LogPosition {
  /** The number of an event. */
  number: number
  /** The position of the last recipient that was reported; infinite: the whole event was reported. */
  recipient: number
}

/** The place right behind a recipient's part of an event; without `recipient`, right behind the whole event. */
export function behind(number: number, recipient = Number.POSITIVE_INFINITY): LogPosition {
  return { number, recipient }
}

/** The place right behind an event, or behind one of its parts. */
export function placeOf({ event: { number }, email, part }: EventNotice<LogEntry>): LogPosition {
  const isLast = part === WHOLE || part + 1 === email?.recipientCount
  return behind(number, isLast ? undefined : part)
}

/** The place right before an event or part. */
export function placeBefore({ event: { number }, part }: EventNotice<LogEntry>): LogPosition {
  return part <= 0 ? behind(number - 1) : behind(number, part - 1)
}

/** Returns a number below 0 if `one` comes first. */
export function comparePlaces(one: LogPosition, other: LogPosition): number {
  if (one.number !== other.number) return one.number - other.number
  return one.recipient === other.recipient ? 0 : one.recipient < other.recipient ? -1 : 1
}

/** The number of the last event that was reported completely. */
export function doneUpTo({ number, recipient }: LogPosition): number {
  return Number.isFinite(recipient) ? number - 1 : number
}
