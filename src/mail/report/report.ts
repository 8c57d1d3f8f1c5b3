/** The content of a mail about our mail, such as a bounce, a complaint or an automatic reply. */
import type { BounceCategory } from '../reply/category.ts'

export const REPORT_KINDS = ['bounce', 'delay', 'complaint', 'auto_reply', 'none'] as const

/**
 * `bounce`: delivery has failed for at least one recipient. `delay`: a message is not delivered yet and is still being
 * tried. `complaint`: somebody says that the mail was unwanted. `auto_reply`: a program of the recipient has answered.
 * `none`: any other mail, reports of success included.
 */
export type ReportKind = (typeof REPORT_KINDS)[number]

/** RFC 3464 2.3.3; `deliverable` is Postfix's word for the answer to a probe (`sendmail -bv`). */
export type ReportedAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | 'deliverable'

export interface ReportedRecipient {
  /**
   * The address that the mail was sent to, if the report tells it; otherwise the address that the report names. Domain
   * in lower case.
   */
  address: string
  /** Original-Recipient (RFC 3464 2.3.1); null when the report has none. */
  original: string | null
  /**
   * The address at which delivery failed (Final-Recipient, RFC 3464 2.3.2). Behind an alias it differs from `address`.
   */
  final: string
  /** Null for complaints. */
  action: ReportedAction | null
  /** Enhanced code (RFC 3463): that of the remote server's reply, otherwise that of the report. */
  status: string | null
  /** SMTP code of the remote server's reply. */
  reply: number | null
  /** The words of the server, at most 1,000 characters; empty when there are none. */
  message: string
  /** True: the address or its domain is dead. Says nothing about whether this delivery is over. */
  permanent: boolean
  /** Null for complaints, and for successes. */
  category: BounceCategory | null
}

/** The identifiers of the email that a report is about. None of them is trusted, because anybody can write a report. */
export interface ReturnedEmail {
  /**
   * Message-ID with its angle brackets: from the returned header, or the fields for programs; unless the report is a
   * complaint, also from X-Original-Message-ID, In-Reply-To or References of the report.
   */
  messageId: string | null
  /** Feedback-ID of the returned header, or CFBL-Feedback-ID (RFC 9477). */
  feedbackId: string | null
  /** Address of the author in the returned header. */
  from: string | null
  /** Original-Envelope-Id (RFC 3464 2.2.1, RFC 5965 3.2): ENVID of MAIL FROM. */
  envelopeId: string | null
  /**
   * MAIL FROM of the email: Original-Mail-From (RFC 5965 3.2), X-Postfix-Sender, or Return-Path of the returned header
   * (RFC 5321 4.4).
   */
  mailFrom: string | null
}

/** The identifiers of the email in the fields for programs. */
export type NamedEnvelope = Pick<ReturnedEmail, 'messageId' | 'envelopeId' | 'mailFrom'>

/** A feedback report, or an abuse report about mail. */
export interface Feedback extends NamedEnvelope {
  /** Lower-case Feedback-Type (RFC 5965 3.1). */
  type: string
  /** The recipients of the mail that the report names. */
  addresses: string[]
}

export interface MailReport {
  kind: ReportKind
  /** At most 1,000. */
  recipients: ReportedRecipient[]
  returned: ReturnedEmail
  /** The report came within another mail, whose author could have written the report as well. */
  enclosed?: true
}
