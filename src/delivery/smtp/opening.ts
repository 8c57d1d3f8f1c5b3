import { authenticate } from './auth.ts'
import type { SmtpConnection } from './connection.ts'
import { SmtpError, type SmtpErrorKind, type Stage } from './error.ts'
import { type Extensions, noExtensions, parseExtensions } from './extensions.ts'
import { clipMessage, type Reply, replyClass, replyText } from './reply.ts'
import type { SmtpTarget } from './target.ts'

/**
 * Opens a session up to the point where it takes MAIL: connection, greeting, EHLO, TLS by policy, AUTH. Throws
 * SmtpError.
 */
export async function open(connection: SmtpConnection, target: SmtpTarget): Promise<Extensions> {
  throwIfFailed(await connection.opened())
  if (target.implicitTls) throwIfFailed(await connection.startTls('connect'))
  const greeting = await ask(connection, null, 'greeting')
  if (replyClass(greeting) !== 2)
    throw refusal(connection, 'reply', 'greeting', 'refused the session', greeting)

  let extensions = await hello(connection, target)
  if (!connection.tls && target.tls !== 'off') {
    const upgraded = await upgrade(connection, target, extensions)
    // RFC 3207 4.2: everything learned before TLS is forgotten.
    if (upgraded) extensions = await hello(connection, target)
  }
  if (target.credentials) {
    if (!connection.tls && target.tls !== 'off') {
      throw refusal(connection, 'auth', 'auth', 'offers no TLS, so it is not given the credentials')
    }
    throwIfFailed(await authenticate(connection, extensions, target.credentials))
  }
  return extensions
}

/** EHLO, or HELO for a server that does not know EHLO (RFC 5321 3.2). */
async function hello(connection: SmtpConnection, target: SmtpTarget): Promise<Extensions> {
  const answer = await ask(connection, `EHLO ${target.helo}`, 'ehlo')
  if (replyClass(answer) === 2) return parseExtensions(answer)
  if (replyClass(answer) !== 5) throw refusal(connection, 'reply', 'ehlo', 'refused EHLO', answer)
  const { replies, error } = await connection.exchange([`HELO ${target.helo}`], ['ehlo'])
  // A server that refuses us altogether says so in its answer to EHLO, and may not wait for HELO.
  if (error?.kind === 'closed') throw refusal(connection, 'reply', 'ehlo', 'refused EHLO', answer)
  throwIfFailed(error)
  const plain = replies[0]!
  if (replyClass(plain) !== 2) throw refusal(connection, 'reply', 'ehlo', 'refused EHLO and HELO', plain)
  return noExtensions
}

/** STARTTLS by policy. True when the connection is encrypted now. */
async function upgrade(
  connection: SmtpConnection,
  target: SmtpTarget,
  extensions: Extensions,
): Promise<boolean> {
  const insists = target.tls !== 'opportunistic'
  if (!extensions.startTls) {
    // An attacker gets around required TLS by removing the offer.
    if (insists) throw refusal(connection, 'tls', 'starttls', 'offers no STARTTLS, but TLS is required')
    return false
  }
  const answer = await ask(connection, 'STARTTLS', 'starttls')
  if (replyClass(answer) !== 2) {
    // The error carries no code: a failure to get TLS now is no verdict on the mail, even if the server answered 5yz.
    const refused = `refused STARTTLS: ${replyText(answer)}`
    if (insists) throw refusal(connection, 'tls', 'starttls', `${refused}, but TLS is required`)
    connection.dialogue?.note('going on in clear')
    return false
  }
  throwIfFailed(await connection.startTls('starttls'))
  return true
}

async function ask(connection: SmtpConnection, command: string | null, stage: Stage): Promise<Reply> {
  const { replies, error } = await connection.exchange(command === null ? [] : [command], [stage])
  throwIfFailed(error)
  return replies[0]!
}

function throwIfFailed(error: SmtpError | null): void {
  if (error) throw error
}

function refusal(
  connection: SmtpConnection,
  kind: SmtpErrorKind,
  stage: Stage,
  what: string,
  reply?: Reply,
): SmtpError {
  const suffix = reply ? `: ${replyText(reply)}` : ''
  return new SmtpError(kind, stage, clipMessage(`${connection.server} ${what}${suffix}`), reply)
}
