/** Whether an event is wanted. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import { type ToldEvent, toldAddress } from '../email/told-event.ts'
import { foldedTag } from '../store/digest.ts'
import { foldedAscii } from '../store/email-conditions.ts'

/** As far as the event itself tells. */
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

/** As far as its email does. */
export function matches({ domainId, recipient, tags }: EventFilter, told: ToldEvent): boolean {
  const { email } = told
  if (domainId !== undefined && email?.domainId !== domainId) return false
  if (recipient !== undefined && !sameAddress(recipient, toldAddress(told))) return false
  if (tags === undefined) return true
  return email?.tags.some((of) => tags.some((tag) => sameTag(tag, of))) === true
}

function sameTag(wanted: { name: string; value?: string }, { name, value }: { name: string; value: string }) {
  const isNamed = foldedTag(wanted.name) === foldedTag(name)
  return isNamed && (wanted.value === undefined || foldedTag(wanted.value) === foldedTag(value))
}

function sameAddress(one: string, other: string): boolean {
  return foldedAscii(one) === foldedAscii(other)
}
