/** The hooks with which tests, benchmarks and chaos runs control their SMTP server. */

/** The steps of the dialogue (RFC 5321 3.3) at which a hook decides what to do. */
export type Step =
  | 'connect'
  | 'ehlo'
  | 'starttls'
  | 'mail'
  | 'rcpt'
  /** DATA was received; the standard reply is 354. */
  | 'data'
  /** The first octets after 354 arrived; only `close`, `reset` and `hang` make a difference here. */
  | 'body'
  /** The final dot arrived, its answer has not been written. */
  | 'dot'
  | 'rset'
  | 'quit'

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

/** Undefined: the standard reply. The dialogue of that session waits for a promise. */
export type Choice = Reaction | undefined | Promise<Reaction | undefined>

/** How replies leave. */
export interface Pace {
  /** Milliseconds of a round trip on the link. The server continues meanwhile, unlike with `latency`. Absent: 0. */
  link?: number
  /** Ms before each group of replies leaves: the way there and back, and the server's own work. */
  latency: number
  /** Ms between the octets of its replies; 0: a reply leaves whole. */
  dribble: number
}

/** A session, as hooks see it. */
export interface Dialogue {
  /** Counts connections from 1. */
  readonly number: number
  readonly secure: boolean
  /** The address that the client connected from. */
  readonly peer: string
  /** What followed EHLO or HELO. */
  readonly helo: string
  /** Counts MAIL commands within the session from 1. */
  readonly transaction: number
  /** Messages whose final dot has arrived. */
  readonly messages: number
  /** MAIL FROM address without brackets; null outside a transaction. */
  readonly sender: string | null
  /** What followed the address in MAIL. */
  readonly mailParameters: string
  /** Recipients accepted so far. */
  readonly recipients: readonly string[]
  /** Octets of the message on the wire, the final dot included; at `dot` and `answered`. */
  readonly octets: number
  /**
   * The message as it was before dot-stuffing (RFC 5321 section 4.5.2), with its final CRLF; at `dot` and `answered`, when it is kept.
   */
  message(): Buffer
}

export interface SinkHooks {
  /** What is done at a step. `line`: the command; `recipient`: at `rcpt`, the address just named. */
  at(step: Step, dialogue: Dialogue, line: string, recipient: string | null): Choice
  /** Asked at DATA: whether the octets of the message are kept (`dialogue.message()`) or only counted. */
  keeps(dialogue: Dialogue): boolean
  /** Absent: each group of replies leaves at once. */
  readonly pace?: Pace
  /** The answer to the final dot was handed to the kernel; what is returned concerns the connection, as at `body`. */
  answered?(dialogue: Dialogue, reply: string): Choice
  /** Every line of the dialogue, from the client (C) and to it (S). */
  line?(dialogue: Dialogue, from: 'C' | 'S', text: string): void
  /** A connection was closed, by whomever. */
  closed?(dialogue: Dialogue): void
}
