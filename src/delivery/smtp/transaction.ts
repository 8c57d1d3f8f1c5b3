import type { Verdict } from '../../email/lifecycle.ts'
import type { StuffedMessage } from './dot-stuffing.ts'
import type { SmtpErrorKind, Stage } from './error.ts'

/**
 * The capabilities that the composer may use: those that both the server and RFC 6152 / RFC 6531 allow on this session.
 */
export interface MessageCapabilities {
  eightBitMime: boolean
  smtpUtf8: boolean
  /** The message is stored and not sent: a worker that composes it stuffs no dots. */
  unstuffed?: true
}

/** A message as it is sent, before dot-stuffing. All lines end in CRLF. */
export interface OutgoingMessage {
  chunks: Uint8Array[]
  /** Octets of all chunks together, for SIZE (RFC 1870). */
  size: number
  /** Holds octets above 127. */
  eightBit: boolean
  /** Holds UTF-8 in its header fields, so it needs SMTPUTF8. */
  smtpUtf8: boolean
  /** The chunks after `dotStuff`, when that was done beforehand. */
  stuffed?: StuffedMessage
}

/** Tells whether the final dot may be sent. Returns a promise when that is not known yet. */
export type HandoverGuard = () => boolean | Promise<boolean>

/** One email to some recipients at one server. */
export interface Transaction {
  /** RFC 5321 reverse-path without brackets; empty for the null sender. */
  sender: string
  /** ENVID (RFC 3461 4.4), asked for only where the server offers DSN. Printable ASCII without `+` and `=`. */
  envelopeId?: (() => string) | undefined
  /** At least one. */
  recipients: string[]
  /**
   * Called once, when the session's capabilities are known. If it rejects, so does `send`, and the session stays
   * usable.
   */
  message: (capabilities: MessageCapabilities) => Promise<OutgoingMessage>
  /**
   * Called before MAIL and before DATA. False abandons the transaction without handing anything over: the lease is
   * over, or the node is stopping.
   */
  mayHandOver: () => boolean
  /** Called last, right before the final dot. If it is missing, `mayHandOver` is called instead. */
  handOver?: HandoverGuard
  /**
   * Called when the final dot has been written for all recipients; until its answer comes, another transaction may
   * start behind this one.
   */
  onDot?: () => void
}

/** How the transaction ended for one recipient. */
export interface RecipientReply {
  verdict: Verdict
  code?: number
  enhancedCode?: string
  /** The decisive reply, or a sentence saying what happened. At most 1,000 characters. */
  message: string
  stage: Stage
  /** The server's own words, when `message` holds more than those. */
  said?: string
  /** The kind of error that ended the session before there was a reply. */
  kind?: SmtpErrorKind
  /**
   * The transaction was not attempted: this server lacks something that the message needs, and another server may have
   * it.
   */
  unsuited?: true
  /** The transaction was not attempted: its envelope was written behind a final dot, and the server did not take it. */
  untried?: UntriedReason
}

/**
 * - `ended`: the server ended the session with 421 in answer to the dot.
 * - `lost`: it closed the connection without a reply, sent nothing, or treated the envelope as a protocol error.
 */
export type UntriedReason = 'ended' | 'lost'
