/** What happens to a company itself, and to no email of it: in the same log, under numbers of the same order. */
import type { EventDetail, EventType, LoggedEvent } from './event.ts'

export const COMPANY_EVENT_TYPES = ['webhook.disabled', 'webhook.enabled'] as const
export type CompanyEventType = (typeof COMPANY_EVENT_TYPES)[number]

export interface NewCompanyEvent {
  type: CompanyEventType
  /** Unix ms. */
  at: number
  detail: EventDetail & { message: string }
}

export interface CompanyEvent extends NewCompanyEvent {
  number: number
  companyId: string
  emailId: null
  recipient: null
  address: null
}

/** Whatever the log has. */
export type LogEntry = LoggedEvent | CompanyEvent

/** What of all that is wanted; what is absent narrows nothing. */
export interface EntryFilter {
  companyId?: string
  types?: readonly (EventType | CompanyEventType)[]
}

/** A webhook is told events from now on, or no more. Of its URL the host alone is said: the rest may be a secret. */
export function webhookSwitched(
  type: CompanyEventType,
  { id, url }: { id: string; url: string },
  at: number,
  message: string,
): NewCompanyEvent {
  return { type, at, detail: { webhookId: id, host: new URL(url).host, message } }
}
