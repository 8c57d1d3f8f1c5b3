/** The cookies of the console: their names and attributes, and the cookie of a session. */
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpCore } from '../../core.ts'

const SESSION = 'postroad_session'
/** The form of tokens from `newSecret`. */
const TOKEN = /^[\w-]{43}$/

interface OwnCookie {
  name: string
  value: string
  /** Ms; 0 removes it. */
  lasts: number
  /** The path of the cookie when the page is served without TLS. */
  path: string
}

/**
 * Over TLS a cookie has the prefix `__Host-`: browsers accept it from this host alone, over TLS alone, so that no
 * subdomain and nobody on the network path can plant one (RFC 6265bis 4.1.3.2). The prefix requires Secure and
 * `Path=/`. Without TLS, on a developer's machine, browsers accept neither; only there a cookie without the prefix
 * counts.
 */
function cookieName(name: string, isEncrypted: boolean): string {
  return isEncrypted ? `__Host-${name}` : name
}

/** As the browser sees it: TLS may end at a proxy. */
function isEncrypted({ publicUrl }: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage): boolean {
  return publicUrl.urlOf(request).startsWith('https:')
}

export function readCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: string,
): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[cookieName(name, isEncrypted(core, request))]
}

/** Sent only with requests of this service's own page, and readable by no script (RFC 6265bis 5.6.7). */
export function writeCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  { name, value, lasts, path }: OwnCookie,
): string {
  const secure = isEncrypted(core, request)
  return stringifySetCookie({
    name: cookieName(name, secure),
    value,
    maxAge: Math.floor(lasts / 1000),
    path: secure ? '/' : path,
    httpOnly: true,
    sameSite: 'strict',
    secure,
  })
}

export function sessionToken(core: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage): string | null {
  const token = readCookie(core, request, SESSION)
  return token !== undefined && TOKEN.test(token) ? token : null
}

/** `lasts`: ms; 0 removes it. */
export function sessionCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  token: string,
  lasts: number,
): string {
  return writeCookie(core, request, { name: SESSION, value: token, lasts, path: '/console' })
}
