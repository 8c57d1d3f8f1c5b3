/** The words between a scriptable sink and its scripts: where in the dialogue we are, and what to do there. */

/** Where in the dialogue (RFC 5321 section 3.3) a script is called. */
export type Step =
  | 'connect'
  | 'ehlo'
  | 'starttls'
  | 'mail'
  | 'rcpt'
  /** DATA was received; the default reply is 354. */
  | 'data'
  /** The first octets after 354 arrived; only `close` and `hang` make a difference here. */
  | 'body'
  /** The final dot arrived, its answer has not been written. */
  | 'dot'
  /** The answer to the final dot was handed to the kernel. */
  | 'answered'
  | 'rset'
  | 'quit'

export interface Moment {
  step: Step
  /** Counts connections from 1. */
  session: number
  /** Counts messages within the session from 1 (0 before the first MAIL). */
  transaction: number
  /** MAIL FROM address without brackets; null outside a transaction. */
  sender: string | null
  /** `rcpt` only: the address just named. */
  recipient: string | null
  /** Recipients accepted so far. */
  recipients: readonly string[]
  /** The whole command line (`ehlo`, `mail`, `rcpt`, ...). */
  line: string
  secure: boolean
  /** `dot` and `answered`, when recording. */
  message: SinkMessage | null
}

export type Reaction =
  /** Answer with these lines (without the final CRLF; several lines joined by CRLF). */
  | { reply: string }
  /** Answer, then end the connection. */
  | { reply: string; close: true }
  /** Cut the connection without an answer. */
  | { close: true }
  /** The same with a TCP reset, which destroys what the client has not read yet. */
  | { reset: true }
  /** Never answer; the connection stays open. */
  | { hang: true }

/** Undefined: the default answer. May be asynchronous: the dialogue of that session waits. */
export type Script = (moment: Moment) => Reaction | undefined | Promise<Reaction | undefined>

export interface SinkMessage {
  sender: string
  recipients: string[]
  /** What followed the address in MAIL: `SIZE=... BODY=8BITMIME SMTPUTF8`. */
  mailParameters: string
  /** The message as it was before dot-stuffing (RFC 5321 4.5.2), with its final CRLF. */
  raw: Buffer
  session: number
  secure: boolean
  /** Unix ms at the final dot. */
  at: number
  /** The answer that was written, null while it was not (or when it never was). */
  answer: string | null
}
