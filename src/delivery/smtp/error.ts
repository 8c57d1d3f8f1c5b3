import type { Reply } from './reply.ts'

/** The steps of a conversation, in the order of a session. */
export type Stage =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  /** Between transactions, or while saying QUIT. */
  | 'idle'

/** Completes "took too long over …" and "closed the connection during …". */
export const waitingFor: Record<Stage, string> = {
  connect: 'connecting',
  greeting: 'its greeting',
  ehlo: 'EHLO',
  starttls: 'STARTTLS',
  auth: 'AUTH',
  mail: 'MAIL',
  rcpt: 'RCPT',
  data: 'DATA',
  dot: 'its answer to the message',
  idle: 'an idle period',
}

/**
 * - `connect`: no TCP connection (refused, unreachable).
 * - `proxy`: no connection, because of the proxy on the way: it does not answer, or refuses us.
 * - `tls`: TLS was wanted and failed: not offered, handshake failed, certificate not the host's. Under an opportunistic
 *   policy the caller may try again without TLS.
 * - `timeout`: the server took longer than the stage allows.
 * - `protocol`: the input was not SMTP, was too long, or held more replies than commands.
 * - `closed`: the connection ended early (FIN, RST, or destroyed from our side).
 * - `stopped`: this service was stopped while the server had the message and had not answered.
 * - `reply`: the server refused, with `code` and `enhancedCode`.
 * - `auth`: credentials refused, no common mechanism, or withheld because the connection is not encrypted. Says nothing
 *   about the message, even when it is `permanent`: the operator can correct the credentials.
 */
export type SmtpErrorKind =
  | 'connect'
  | 'proxy'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'closed'
  | 'stopped'
  | 'reply'
  | 'auth'

/**
 * The error that ended a session, or kept one from opening. The message is a sentence for people and holds no
 * credentials.
 */
export class SmtpError extends Error {
  readonly kind: SmtpErrorKind
  readonly stage: Stage
  /** Reply code, when a reply is the cause. */
  readonly code?: number
  readonly enhancedCode?: string
  /** The server answered with 5yz: trying the same again is useless (RFC 5321 4.2.1). Any other error may pass. */
  readonly permanent: boolean
  /** The server's own words; empty when there are none. */
  readonly said: string

  constructor(
    kind: SmtpErrorKind,
    stage: Stage,
    message: string,
    reply?: Pick<Reply, 'code' | 'enhancedCode'> & Partial<Pick<Reply, 'lines'>>,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'SmtpError'
    this.kind = kind
    this.stage = stage
    if (reply) {
      this.code = reply.code
      if (reply.enhancedCode !== null) this.enhancedCode = reply.enhancedCode
    }
    this.said = reply?.lines?.join(' ') ?? ''
    this.permanent = reply !== undefined && reply.code >= 500 && reply.code <= 599
  }
}

/** True when no server answered at the address, or the server sent no greeting. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof SmtpError)) return false
  const { kind, stage } = error
  return kind === 'connect' || (kind === 'timeout' && (stage === 'connect' || stage === 'greeting'))
}

/** True when the proxy of the source is to blame. */
export function isOfProxy(error: unknown): boolean {
  return error instanceof SmtpError && error.kind === 'proxy'
}
