/** The cookie that a session is known by. */
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpCore } from '../../core.ts'

const NAME = 'postroad_session'
/** As `newSecret` makes them. */
const TOKEN = /^[\w-]{43}$/

export function sessionToken({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  const token = parseCookie(headers.cookie ?? '')[NAME]
  return token !== undefined && TOKEN.test(token) ? token : null
}

/**
 * Sent by this service's own page only, and seen by no script (RFC 6265bis 5.6.7). `maxAge`: in seconds; 0 removes it.
 */
export function sessionCookie(
  { publicUrl }: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  token: string,
  maxAge: number,
): string {
  return stringifySetCookie({
    name: NAME,
    value: token,
    maxAge,
    path: '/console',
    httpOnly: true,
    sameSite: 'strict',
    // Browsers take it over plain HTTP only without the attribute: on a developer's machine there is no TLS.
    secure: publicUrl.of(request).startsWith('https:'),
  })
}
