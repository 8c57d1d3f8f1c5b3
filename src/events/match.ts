/** Whether an event is wanted. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { foldedAscii } from '../store/email-conditions.ts'

/** As far as the event itself tells. */
export function mayMatch(filter: EventFilter, event: LoggedEvent): boolean {
  const { companyId, types, emailId, recipient, since, until } = filter
  return (
    event.companyId === companyId &&
    (types === undefined || types.includes(event.type)) &&
    (emailId === undefined || event.emailId === emailId) &&
    (recipient === undefined || sameAddress(recipient, event.address)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  )
}

/** As far as its email does. */
export function matches({ domainId, tag }: EventFilter, { email }: ToldEvent): boolean {
  if (domainId !== undefined && email?.domainId !== domainId) return false
  if (tag === undefined) return true
  const { name, value } = tag
  return email?.tags.some((of) => of.name === name && (value === undefined || of.value === value)) === true
}

function sameAddress(one: string, other: string | null): boolean {
  return other !== null && foldedAscii(one) === foldedAscii(other)
}
