/** An incoming mail, whichever way it arrived, and the result of receiving it. */
import type { InboundKind, InboundResult, InboundSource } from '../email/inbound-mail.ts'
import { READ_LIMIT } from '../mail/report/open-report.ts'

export interface ArrivedMail {
  /** The message, or its beginning: see `MAX_READ`. */
  raw: Uint8Array
  /** Octets that arrived, if more than `raw` has. */
  size?: number
  /** The envelope recipient; null: it is unknown, and header fields name it. */
  recipient: string | null
  source: InboundSource
  /** The client's IP address, the name of the mailbox, or the key that handed it in; '' when unknown. */
  peer: string
  /** The reverse path of its SMTP transaction, '' in a report; absent: unknown. */
  reversePath?: string
  /** The client's network (the /48 of an IPv6 address), so that nobody has many shares. Absent: not over SMTP. */
  client?: string
  /** Only emails of this company count; absent: those of all companies. */
  companyId?: string
}

/** The most octets of a mail that are read. SMTP, HTTP and IMAP may drop the rest. */
export const MAX_READ = READ_LIMIT

/** In the workers, mail from strangers takes its turns as if it belonged to a company with this id. */
export const STRANGERS = 'inbound'

/** The sender that limits are counted for: the network of a client, a company that hands mail in, or a mailbox. */
export function partyOf({ client, companyId, peer }: ArrivedMail): string {
  return client ?? companyId ?? peer
}

export interface ReceivedMail extends InboundResult {
  kind: InboundKind
  emailId: string | null
  /** See NewInboundMail. */
  note: string | null
  /**
   * Its signature could not be verified for now, and may prove more later. The mail is kept as it is, so that people
   * can read it even if it never comes again; its sender should hand it in again, which counts it once.
   */
  putOff: boolean
}

/** Resolves after the commit. Rejects when the store takes no commits; the sender should then send the mail again. */
export type ReceiveMail = (mail: ArrivedMail) => Promise<ReceivedMail>
