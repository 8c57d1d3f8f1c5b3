/** Returned mail, with its outcomes. */
import type { InboundArrival, InboundFilter, InboundMail, InboundResult } from '../email/inbound-mail.ts'

/** A recipient of an email that mail is about. */
export interface AddressedRecipient {
  position: number
  address: string
  /** The server that took the message, or answered last: `host [address]:port`; null: none has. */
  server: string | null
  /** A report of success would settle its fate: it was given up, or the answer of its last server was lost. */
  unsettled: boolean
}

/** An email that mail is about. */
export interface ReportedEmail {
  id: string
  companyId: string
  /** The sender, as in the email. */
  keyId: string
  messageId: string
  /** The address of From. */
  sender: string
  /** How many recipients it has. */
  size: number
  /** Mails that led to events of it. */
  reports: number
  /** The named recipients, or the only recipient of the email. */
  recipients: AddressedRecipient[]
}

/** The email that a mail is about, and the recipients that it names. */
export interface NamedEmail {
  id: string
  /** Null: the mail names its recipients by their addresses, unless the email has only one. */
  position: number | null
  /** Compared without regard to ASCII case, if there is no position. */
  addresses: readonly string[]
}

export interface InboundStore {
  /** The emails, each with the recipients that are named; null for one that is unknown. In the order of `named`. */
  reportedEmails(named: readonly NamedEmail[]): Promise<(ReportedEmail | null)[]>
  /**
   * The id of the newest email from an address at this domain whose sender chose this Message-ID; null when there is
   * none. `domain`: in lower case.
   */
  emailWithMessageId(messageId: string, domain: string): Promise<string | null>
  /**
   * Keeps each mail and records its reports, in one commit. A mail that was kept before is only counted, but its
   * reports are recorded if they were not. Of mail that changed nothing, the oldest beyond its share is removed.
   */
  keepInboundMails(arrivals: readonly InboundArrival[]): Promise<InboundResult[]>
  /** The newest first. */
  inboundMails(filter: InboundFilter): Promise<InboundMail[]>
  /** The kept beginning of the message; null when unknown. */
  readInboundMail(id: string): Promise<Uint8Array | null>
  /** Removes at most `limit` mails from before this time (Unix ms). Returns their number. */
  forgetInboundMails(before: number, limit: number): Promise<number>
}
