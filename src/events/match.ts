/** Whether an event matches a filter. */
import type { EventFilter, LoggedEvent, TagFilter } from '../email/event.ts'
import { type EventNotice, noticeAddress } from '../email/event-notice.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import { foldedTag } from '../store/digest.ts'

/** Checks only the fields of the event itself. */
export function mayMatch(filter: EventFilter, event: LoggedEvent): boolean {
  const { companyId, types, emailId, recipient, since, until } = filter
  return (
    event.companyId === companyId &&
    (types === undefined || types.includes(event.type)) &&
    (emailId === undefined || event.emailId === emailId) &&
    (recipient === undefined || event.address === null || sameAddress(recipient, event.address)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  )
}

/** Whether the event's email and recipient match, too. */
export function matches(filter: EventFilter, notice: EventNotice): boolean {
  return emailMatches(filter, notice) && recipientMatches(filter, notice)
}

/** The filter may spell the address differently from the envelope. */
function recipientMatches({ recipient }: EventFilter, notice: EventNotice): boolean {
  if (recipient === undefined || sameAddress(recipient, noticeAddress(notice))) return true
  const address = notice.recipient?.address
  return address !== undefined && sameAddress(recipient, address)
}

/** Whether the event's email matches. */
export function emailMatches({ domainId, tags }: EventFilter, { email }: EventNotice): boolean {
  if (domainId !== undefined && email?.domainId !== domainId) return false
  if (tags === undefined) return true
  const wanted = keysOf(tags)
  return (
    email?.tags.some(
      ({ name, value }) => wanted.has(keyOf({ name })) || wanted.has(keyOf({ name, value })),
    ) === true
  )
}

const keys = new WeakMap<readonly TagFilter[], ReadonlySet<string>>()

/** The keys of a filter's tags, made once: the filter and an email may have hundreds of tags each. */
function keysOf(tags: readonly TagFilter[]): ReadonlySet<string> {
  const known = keys.get(tags)
  if (known !== undefined) return known
  const made = new Set(tags.map(keyOf))
  keys.set(tags, made)
  return made
}

function keyOf({ name, value }: TagFilter): string {
  return foldedTag(value === undefined ? name : `${name}\0${value}`)
}

function sameAddress(one: string, other: string): boolean {
  return foldedAscii(one) === foldedAscii(other)
}
