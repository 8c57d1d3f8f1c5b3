/** Immutable facts about an email, mostly about one of its recipients. */

/** The closed vocabulary of `last_event`. */
export const EVENT_TYPES = [
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
export type EventType = (typeof EVENT_TYPES)[number]

export interface EmailEvent {
  emailId: string
  /** Index of the recipient within the email; null when the fact is about the email as a whole. */
  recipient: number | null
  type: EventType
  /** Unix time in milliseconds. */
  at: number
  /** What the other side said, the server's name, when the next attempt is due, ... Shown to operator and company. */
  detail: EventDetail
}

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
}
