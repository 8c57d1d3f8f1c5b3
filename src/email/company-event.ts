/** Events of a company itself, not of its emails. They are in the same log, in one order with all others. */
import type { DomainState } from './domain-state.ts'
import type { EventDetail, EventType, LoggedEvent, ProblemFacts } from './event.ts'

export const COMPANY_EVENT_TYPES = [
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'webhook.disabled',
  'webhook.enabled',
  'problem.started',
  'problem.ended',
] as const
export type CompanyEventType = (typeof COMPANY_EVENT_TYPES)[number]
/** The type of any entry of the log. */
export type EntryType = EventType | CompanyEventType

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
  types?: readonly EntryType[]
}

/**
 * A sending domain was added or removed, or a check of DNS has changed what it may do, or where its bounces go.
 */
export function domainChanged(
  type: 'domain.created' | 'domain.updated' | 'domain.deleted',
  { id: domainId, name: domain }: { id: string; name: string },
  domainState: DomainState,
  at: number,
  message: string,
): NewCompanyEvent {
  return { type, at, detail: { domain, domainId, domainState, message } }
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

/** A problem of the company has begun, or is over. `domainId`: of the only sending domain that it concerns. */
export function problemChanged(
  type: 'problem.started' | 'problem.ended',
  problem: ProblemFacts,
  at: number,
  domainId?: string,
): NewCompanyEvent {
  const message = `${problem.title}: ${problem.found}`
  return { type, at, detail: { problem, ...(domainId !== undefined && { domainId }), message } }
}
