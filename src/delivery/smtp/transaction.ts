import type { Verdict } from '../../email/lifecycle.ts'
import type { StuffedMessage } from './dot-stuffing.ts'
import type { SmtpErrorKind, Stage } from './error.ts'

/** What the composer may use: what both the server and RFC 6152 / RFC 6531 allow on this session. */
export interface MessageCapabilities {
  eightBitMime: boolean
  smtpUtf8: boolean
  /** The message is kept and not sent: a worker that composes it stuffs no dots. */
  unstuffed?: true
}

/** A message as it goes out, before dot-stuffing. Lines end in CRLF and nothing else. */
export interface OutgoingMessage {
  chunks: Uint8Array[]
  /** Octets of all chunks together, for SIZE (RFC 1870). */
  size: number
  /** Holds octets above 127. */
  eightBit: boolean
  /** Holds UTF-8 in its header fields, so it needs SMTPUTF8. */
  smtpUtf8: boolean
  /** The chunks as `dotStuff` makes them, where that was done beforehand. */
  stuffed?: StuffedMessage
}

/** One email to some recipients at one server. */
/** May the final dot be sent? A promise when that has to be waited for. */
export type HandOver = () => boolean | Promise<boolean>

export interface Transaction {
  /** RFC 5321 reverse-path without brackets; empty for the null sender. */
  sender: string
  /** At least one. */
  recipients: string[]
  /**
   * Asked for once, when the session is known. If it rejects, so does `send`, and the session stays usable.
   */
  message: (capabilities: MessageCapabilities) => Promise<OutgoingMessage>
  /**
   * Asked before MAIL and before DATA. False abandons the transaction without
   * handing anything over: the lease is over, or we are stopping.
   */
  mayHandOver: () => boolean
  /** Asked last of all, right before the final dot; `mayHandOver` where it is missing. */
  handOver?: HandOver
}

/** How the transaction ended for one recipient. */
export interface RecipientReply {
  verdict: Verdict
  code?: number
  enhancedCode?: string
  /** The reply that decided, or a sentence saying what happened. At most 1,000 characters. */
  message: string
  stage: Stage
  /** The server's own words, where `message` has more. */
  said?: string
  /** What ended the session before there was an answer. */
  kind?: SmtpErrorKind
  /** Nothing was asked: this server has not what the message needs, and another may. */
  unsuited?: true
}
