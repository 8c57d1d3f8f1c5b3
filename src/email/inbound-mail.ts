/** Mail that came back: bounces, complaints, automatic replies, and other mail to return paths. */
import type { BounceCategory } from '../mail/reply/category.ts'
import type { RecipientReport } from './lifecycle.ts'

/** Where mail came in: the listener, the mailbox, `POST /inbound/mail`, `bounce read --apply`. */
export const INBOUND_SOURCES = ['smtp', 'mailbox', 'http', 'command'] as const
export type InboundSource = (typeof INBOUND_SOURCES)[number]

export const INBOUND_KINDS = ['bounce', 'delay', 'delivery', 'complaint', 'auto_reply', 'none'] as const
export type InboundKind = (typeof INBOUND_KINDS)[number]

/**
 * The consequence of a mail.
 * - `recorded`: at least one event.
 * - `repeated`: nothing; its events had been recorded before, or do not change the recipients.
 * - `kept`: nothing; it reports on no recipient (an automatic reply, a mail by a person).
 * - `unproven`: nothing; it has no valid token, and nothing proves that its sender handled the email.
 * - `no_email`: nothing; it names no email that is still known.
 * - `other_email`: nothing; it is about another message than that of its token.
 * - `no_recipient`: nothing; it names no recipient of the email.
 * - `too_many`: nothing; the email has had more reports than its recipients can explain.
 */
export const INBOUND_OUTCOMES = [
  'recorded',
  'repeated',
  'kept',
  'unproven',
  'no_email',
  'other_email',
  'no_recipient',
  'too_many',
] as const
export type InboundOutcome = (typeof INBOUND_OUTCOMES)[number]

/** A recipient in a report, as the reader found it. */
export interface InboundFinding {
  address: string
  action: string | null
  /** Enhanced status code (RFC 3463). */
  status: string | null
  /** SMTP reply code. */
  reply: number | null
  message: string
  permanent: boolean
  category: BounceCategory | null
}

/** A mail that has been read, before its outcome is known. */
export interface NewInboundMail {
  /** UUIDv7 of the time at which it arrived. */
  id: string
  /** The same for the same mail, whichever way it comes in. */
  digest: string
  /** Unix ms. */
  at: number
  source: InboundSource
  /** The client's address, the mailbox, or the key that handed it in; '' when unknown. */
  peer: string
  /** The envelope recipient; null: the way in knows none. */
  recipient: string | null
  /** From and Subject, as the mail has them. */
  from: string
  subject: string
  kind: InboundKind
  /** The email that it is about; null: unknown. */
  emailId: string | null
  /** Why nothing follows; null: `reports` decide. */
  refused: Exclude<InboundOutcome, 'recorded' | 'repeated'> | null
  findings: readonly InboundFinding[]
  /** Octets that arrived. */
  size: number
  /** The beginning of the message, up to a limit. */
  raw: Uint8Array
}

/** A mail and the reports in it. */
export interface InboundArrival {
  mail: NewInboundMail
  reports: readonly RecipientReport[]
}

export interface InboundResult {
  /** The id under which the mail is kept; that of the first, if it came before. */
  id: string
  outcome: InboundOutcome
  /** Events that were recorded for it now. */
  events: number
}

/** A kept mail. */
export interface InboundMail extends Omit<NewInboundMail, 'refused' | 'raw' | 'digest'> {
  /** The company of the email; null: unknown. */
  companyId: string | null
  outcome: InboundOutcome
  /** Events that it led to. */
  events: number
  /** How often the same mail has come. */
  times: number
  /** Octets of it that are kept. */
  kept: number
}

export interface InboundFilter {
  /** Null: of all companies, and without an email. */
  companyId: string | null
  id?: string | undefined
  emailId?: string | undefined
  kind?: InboundKind | undefined
  outcome?: InboundOutcome | undefined
  /** Only mail behind this one in the list, which is newest first. */
  after?: string | undefined
  /** Only mail in front of this one: the next, not the newest. */
  before?: string | undefined
  limit: number
}
