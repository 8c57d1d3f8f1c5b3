/** Immutable facts about an email, mostly about one of its recipients. */
import type { BounceCategory } from '../mail/reply/category.ts'
import type { DomainState } from './domain-state.ts'
import type { SuppressionType } from './suppression.ts'

/** The closed vocabulary of `last_event`. */
export const LAST_EVENT_TYPES = [
  'queued',
  'scheduled',
  'sent',
  'delivered',
  'delivery_delayed',
  'bounced',
  'complained',
  'opened',
  'clicked',
  'failed',
  'suppressed',
  'canceled',
] as const

/** An event type that an email may show as its last event. */
export type LastEventType = (typeof LAST_EVENT_TYPES)[number]

export const EVENT_TYPES = [...LAST_EVENT_TYPES, 'unsubscribed'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The events by which mail to a recipient fails. */
export const FAILURES = ['bounced', 'failed'] as const satisfies readonly EventType[]
/** The events that say why mail was refused or is late: see `category` and `permanent` of their detail. */
export const CATEGORIZED = [...FAILURES, 'delivery_delayed'] as const satisfies readonly EventType[]

export interface NewEvent {
  type: EventType
  /** Unix ms. */
  at: number
  detail: EventDetail
}

export interface EmailEvent extends NewEvent {
  emailId: string
  /** Index of the recipient within the email; null when the fact is about the email as a whole. */
  recipient: number | null
}

/** An event of the log. */
export interface LoggedEvent extends EmailEvent {
  /** Its place in the one order of all events; rises, with gaps. */
  number: number
  companyId: string
  /** Address of the recipient; null when there is none. */
  address: string | null
}

export interface EventPage<Event = LoggedEvent> {
  events: Event[]
  /** The position for the next call. It rises even when no event matched. */
  cursor: number
}

/** The events that a follower wants; absent fields do not restrict. */
export interface LogFilter {
  companyId?: string
  types?: readonly EventType[]
}

export interface TagFilter {
  name: string
  /** Absent: any value. */
  value?: string
}

/** Parses `name:value`, or a name or a value alone. */
export function tagFilterOf(text: string): TagFilter {
  const colon = text.indexOf(':')
  return colon < 0 ? { name: text } : { name: text.slice(0, colon), value: text.slice(colon + 1) }
}

/** The tag of the form dialect with the text of this filter: such tags are values of the name `tag`. */
export function unnamedTag({ name, value }: TagFilter): Required<TagFilter> {
  return { name: 'tag', value: value === undefined ? name : `${name}:${value}` }
}

/** The wanted events of a company; absent fields do not restrict. */
export interface EventFilter extends LogFilter {
  companyId: string
  /** Sending domain. */
  domainId?: string
  /**
   * Address; compared without regard to ASCII case. An event of an email as a whole is about the first address of its
   * To.
   */
  recipient?: string
  emailId?: string
  /** The email has one of these; compared without regard to case. */
  tags?: readonly TagFilter[]
  /** Events at `since` (Unix ms) or later, and before `until`. */
  since?: number
  until?: number
}

/** Details such as the server's reply, its name, or the time of the next attempt. Shown to operator and company. */
export interface EventDetail {
  /** SMTP reply code, e.g. 550. */
  code?: number
  /** Enhanced status code, RFC 3463, e.g. `5.1.1`. */
  enhancedCode?: string
  /** The reply's text or our own sentence. */
  message?: string
  /** Why the mail was refused or is late: with every `bounced`, `failed` and `delivery_delayed` event. */
  category?: BounceCategory
  /** In addition to the category: the address, or its domain, is dead. */
  permanent?: boolean
  /** Host (and address) of the server that answered. */
  server?: string
  /** Unix ms of the next attempt. */
  nextAttemptAt?: number
  /** Number of the attempt this is about, from 1. */
  attempt?: number
  /** The connection was encrypted: protocol version, e.g. `TLSv1.3`. */
  tls?: string
  /** The server was proven to be the right one, by its certificate or by DANE. */
  tlsVerified?: true
  /** Milliseconds that the attempt took. */
  duration?: number
  /** The id of a report (a bounce, a complaint), so that it counts only once. */
  reportId?: string
  /** For an email that was not sent: the type of the suppression. */
  suppressedBy?: SuppressionType
  /** For a webhook that was disabled or enabled: its id, and the host of its URL, with a given port. */
  webhookId?: string
  host?: string
  /** The name and the id of a sending domain that has changed, and the domain as the change has left it. */
  domain?: string
  domainId?: string
  domainState?: DomainState
  /** A problem of the company that has begun or is over. */
  problem?: ProblemFacts
}

/** The facts about a problem that its company gets. */
export interface ProblemFacts {
  /** The same for the same problem: `domain:example.com`, `webhook:ID`. */
  id: string
  title: string
  /** The finding, as a sentence. */
  found: string
  /** Advice for people of the company, as a sentence. */
  advice: string | null
  /** Unix ms. */
  since: number
}
