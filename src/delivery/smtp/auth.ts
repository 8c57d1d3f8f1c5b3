import { createHmac } from 'node:crypto'
import type { SmtpConnection } from './connection.ts'
import { SmtpError } from './error.ts'
import type { ExchangeResult } from './exchange.ts'
import type { Extensions } from './extensions.ts'
import { base64, plainResponse, redaction, xoauth2Response } from './redaction.ts'
import { clipMessage, printable, type Reply, replyText } from './reply.ts'
import type { AuthMechanism, SmtpCredentials } from './target.ts'

/**
 * Under TLS the password is safe in transit and PLAIN takes the fewest steps. Without TLS, CRAM-MD5 at least does not
 * reveal the password. XOAUTH2 takes a token, not a password, so the settings must name it.
 */
const preferred = {
  encrypted: ['plain', 'login', 'cram-md5'],
  clear: ['cram-md5', 'plain', 'login'],
} as const satisfies Record<string, AuthMechanism[]>

/** Logs in (RFC 4954). Null on success; otherwise the connection is left to the caller. */
export async function authenticate(
  connection: SmtpConnection,
  extensions: Extensions,
  credentials: SmtpCredentials,
): Promise<SmtpError | null> {
  const offered = [...extensions.auth].join(' ') || 'none'
  const mechanism =
    credentials.mechanism ??
    preferred[connection.tls ? 'encrypted' : 'clear'].find((name) =>
      extensions.auth.has(name.toUpperCase()),
    ) ??
    null
  if (mechanism === null || !extensions.auth.has(mechanism.toUpperCase())) {
    const wanted = credentials.mechanism?.toUpperCase() ?? 'one of PLAIN, LOGIN, CRAM-MD5'
    return refusal(connection, `does not offer the authentication we need: ${wanted}; it offers ${offered}`)
  }
  if (/\0/.test(credentials.user + credentials.password)) {
    return refusal(connection, 'cannot be given credentials that hold a NUL character (RFC 4616 2)')
  }
  const { replies, error } = await steps[mechanism](connection, credentials)
  if (error) return error
  const reply = replies[0]!
  if (reply.code >= 200 && reply.code < 300) return null
  return refusal(
    connection,
    `refused our credentials (${mechanism.toUpperCase()}): ${replyText(reply)}`,
    reply,
  )
}

type AuthExchange = (connection: SmtpConnection, credentials: SmtpCredentials) => Promise<ExchangeResult>

const steps: Record<AuthMechanism, AuthExchange> = {
  /** RFC 4616, with the initial response that saves a round trip (RFC 4954 4). */
  async plain(connection, { user, password }) {
    const response = base64(plainResponse(user, password))
    const first = await command(connection, `AUTH PLAIN ${response}`, 'AUTH PLAIN ***')
    // Some servers overlook the initial response and ask for it.
    return asksForMore(first) ? command(connection, response) : first
  },

  /** Never standardised; the two prompts come in this order whatever their text. */
  async login(connection, { user, password }) {
    const first = await command(connection, 'AUTH LOGIN', 'AUTH LOGIN')
    if (!asksForMore(first)) return first
    const second = await command(connection, base64(user))
    return asksForMore(second) ? command(connection, base64(password)) : second
  },

  /** RFC 2195. */
  async 'cram-md5'(connection, { user, password }) {
    const first = await command(connection, 'AUTH CRAM-MD5', 'AUTH CRAM-MD5')
    if (!asksForMore(first)) return first
    const challenge = Buffer.from(first.replies[0]!.lines.join(''), 'base64')
    const digest = createHmac('md5', password).update(challenge).digest('hex')
    return command(connection, base64(`${user} ${digest}`))
  },

  /** Refusal comes as a 334 with the reason in JSON; the real reply follows an empty line of ours. */
  async xoauth2(connection, { user, password }) {
    const token = base64(xoauth2Response(user, password))
    const first = await command(connection, `AUTH XOAUTH2 ${token}`, 'AUTH XOAUTH2 ***')
    if (!asksForMore(first)) return first
    const json = Buffer.from(first.replies[0]!.lines.join(''), 'base64').toString('utf8')
    const last = await command(connection, '', '(empty line)')
    const reply = last.replies[0]
    if (!reply) return last
    const reason = redaction({ user, password, mechanism: null })?.(printable(json)) ?? ''
    return { replies: [{ ...reply, lines: [...reply.lines, reason] }], error: last.error }
  },
}

function command(connection: SmtpConnection, line: string, shown = '***'): Promise<ExchangeResult> {
  return connection.exchange([line], ['auth'], { shown: [shown] })
}

function asksForMore({ replies }: ExchangeResult): boolean {
  return replies[0]?.code === 334
}

function refusal(connection: SmtpConnection, what: string, reply?: Reply): SmtpError {
  return new SmtpError('auth', 'auth', clipMessage(`${connection.server} ${what}`), reply)
}
