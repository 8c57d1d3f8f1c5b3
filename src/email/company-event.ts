/** Events of a company itself, not of its emails: in the same log, numbered in the same order. */
import type { EventDetail, EventType, LoggedEvent } from './event.ts'

export const COMPANY_EVENT_TYPES = ['domain.updated', 'webhook.disabled', 'webhook.enabled'] as const
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

/** Any entry of the log. */
export type LogEntry = LoggedEvent | CompanyEvent

/** The wanted entries; absent fields do not restrict. */
export interface EntryFilter {
  companyId?: string
  types?: readonly (EventType | CompanyEventType)[]
}

/** A check of DNS has changed what a sending domain may do, or where its bounces go. */
export function domainUpdated(domain: string, at: number, message: string): NewCompanyEvent {
  return { type: 'domain.updated', at, detail: { domain, message } }
}

/** A webhook was enabled or disabled. Of its URL only the host is recorded: the rest may be a secret. */
export function webhookSwitched(
  type: CompanyEventType,
  { id, url }: { id: string; url: string },
  at: number,
  message: string,
): NewCompanyEvent {
  return { type, at, detail: { webhookId: id, host: new URL(url).host, message } }
}
