/** Returned mail: bounces, complaints, automatic replies, and other mail to return paths. */
import type { BounceCategory } from '../mail/reply/category.ts'
import type { RecipientReport } from './lifecycle.ts'

/** The way by which mail arrived: the listener, the mailbox, `POST /inbound/mail`, `bounce read --apply`. */
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
 * - `counted`: its report about a domain is counted; of several domains, `note` names those for which it is not.
 * - `not_counted`: nothing; its report about a domain does not count, for the reason in `note`.
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
  'counted',
  'not_counted',
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
  /** A digest that is the same for the same mail, whichever way it arrives. */
  digest: string
  /** Unix ms. */
  at: number
  source: InboundSource
  /** The client's address, the mailbox, or the key that handed it in; '' when unknown. */
  peer: string
  /** The envelope recipient; null: unknown, as in a mailbox. */
  recipient: string | null
  /** From and Subject, as the mail has them. */
  from: string
  subject: string
  kind: InboundKind
  /** The email that it is about; null: unknown. */
  emailId: string | null
  /** The reason why the mail has no consequence; null: `reports` decide. */
  refused: Exclude<InboundOutcome, 'recorded' | 'repeated'> | null
  /** Details of the outcome, as a sentence; null: none. */
  note: string | null
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
  /** The group of the client's address, if it came over SMTP. */
  client?: string | undefined
  /** The id of the company whose key handed it in; absent: it came another way. */
  handedInBy?: string | undefined
}

export interface InboundResult {
  /** The id under which the mail is kept. For a mail that came before, that of the first one. */
  id: string
  outcome: InboundOutcome
  /** The number of events that were recorded for it now. */
  events: number
}

/** A kept mail. */
export interface InboundMail extends Omit<NewInboundMail, 'refused' | 'raw' | 'digest'> {
  /** The company of the email; null: unknown. */
  companyId: string | null
  outcome: InboundOutcome
  /** Events that it led to. */
  events: number
  /** The number of times that the same mail has arrived. */
  times: number
  /** The number of octets of the mail that are kept. */
  kept: number
}

export interface InboundFilter {
  /** Null: mail of all companies, and mail about no email. */
  companyId: string | null
  id?: string | undefined
  emailId?: string | undefined
  kind?: InboundKind | undefined
  outcome?: InboundOutcome | undefined
  /** Only older mail than this one. */
  after?: string | undefined
  /** Only newer mail than this one; the nearest, not the newest. */
  before?: string | undefined
  limit: number
}
