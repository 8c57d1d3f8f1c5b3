/** The cookies of the console: how they are named, and the one that a session is known by. */
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HttpCore } from '../../core.ts'

const SESSION = 'postroad_session'
/** As `newSecret` makes them. */
const TOKEN = /^[\w-]{43}$/

export interface OwnCookie {
  name: string
  value: string
  /** Ms; 0 removes it. */
  lasts: number
  /** Where the page is served without TLS. */
  path: string
}

/**
 * Over TLS a cookie has the prefix `__Host-`: browsers take it from this host alone, over TLS alone, so that no
 * subdomain and nobody on the way can plant one (RFC 6265bis 4.1.3.2). It takes Secure and `Path=/`. Without TLS, on a
 * developer's machine, browsers take neither; there a cookie without the prefix counts, and nowhere else.
 */
function named(name: string, isEncrypted: boolean): string {
  return isEncrypted ? `__Host-${name}` : name
}

/** Where the browser sees TLS: it may end at a proxy. */
function isEncrypted({ publicUrl }: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage): boolean {
  return publicUrl.of(request).startsWith('https:')
}

export function readCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: string,
): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[named(name, isEncrypted(core, request))]
}

/** Sent by this service's own page only, and seen by no script (RFC 6265bis 5.6.7). */
export function writeCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  { name, value, lasts, path }: OwnCookie,
): string {
  const secure = isEncrypted(core, request)
  return stringifySetCookie({
    ...{ name: named(name, secure), value, maxAge: Math.floor(lasts / 1000) },
    ...{ path: secure ? '/' : path, httpOnly: true, sameSite: 'strict', secure },
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
