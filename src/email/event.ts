/** Immutable facts about an email, mostly about one of its recipients. */
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

/** What an email may show as its last event. */
export type LastEventType = (typeof LAST_EVENT_TYPES)[number]

export const EVENT_TYPES = [...LAST_EVENT_TYPES, 'unsubscribed'] as const
export type EventType = (typeof EVENT_TYPES)[number]

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

/** An event as the log has it. */
export interface LoggedEvent extends EmailEvent {
  /** Its place in the one order of all events; rises, with gaps. */
  number: number
  companyId: string
  /** Of the recipient; null when there is none. */
  address: string | null
}

export interface EventPage<Event = LoggedEvent> {
  events: Event[]
  /** For the next question. It rises also when nothing of the wanted kind came. */
  cursor: number
}

/** What of the log is wanted by who follows it; what is absent narrows nothing. */
export interface LogFilter {
  companyId?: string
  types?: readonly EventType[]
}

export interface TagFilter {
  name: string
  /** Absent: any value. */
  value?: string
}

/** Of `name`, or `name:value`. */
export function tagFilterOf(text: string): TagFilter {
  const colon = text.indexOf(':')
  return colon < 0 ? { name: text } : { name: text.slice(0, colon), value: text.slice(colon + 1) }
}

/** The form dialect's tags are values of the name `tag`: the one that reads like this filter. */
export function unnamedTag({ name, value }: TagFilter): Required<TagFilter> {
  return { name: 'tag', value: value === undefined ? name : `${name}:${value}` }
}

/** Which events of a company are wanted; what is absent narrows nothing. */
export interface EventFilter extends LogFilter {
  companyId: string
  /** Sending domain. */
  domainId?: string
  /**
   * Address; ASCII letters compare without regard to their case. What happened to an email as a whole is about the
   * first address of its To.
   */
  recipient?: string
  emailId?: string
  /** The email has one of these; letters compare without regard to their case. */
  tags?: readonly TagFilter[]
  /** Happened then (Unix ms) or later, and before. */
  since?: number
  until?: number
}

/** What the other side said, the server's name, when the next attempt is due, ... Shown to operator and company. */
export interface EventDetail {
  /** SMTP reply code, e.g. 550. */
  code?: number
  /** Enhanced status code, RFC 3463, e.g. `5.1.1`. */
  enhancedCode?: string
  /** The reply's text or our own sentence. */
  message?: string
  /** Host (and address) of the server that answered. */
  server?: string
  /** Unix ms of the next attempt. */
  nextAttemptAt?: number
  /** Number of the attempt this is about, from 1. */
  attempt?: number
  /** The connection was encrypted: protocol version, e.g. `TLSv1.3`. */
  tls?: string
  /** Milliseconds that the attempt took. */
  duration?: number
  /** Of a report that came back (a bounce, a complaint): what names it, so that it counts once. */
  reportId?: string
  /** Of what was not sent: what the address is on the suppression list for. */
  suppressedBy?: SuppressionType
  /** Of a webhook that was disabled or enabled: its id, and the host of its URL, with the port that it names. */
  webhookId?: string
  host?: string
}
