/** The Authorization header, parsed strictly: only an exact credential of the scheme counts. */
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../ingress/fault.ts'

/** RFC 6750 2.1: `Bearer` and a b64token. Schemes are case-insensitive (RFC 9110 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,256}=*) *$/i
/** RFC 7617 2: `Basic` and the base64 of `user:password`. */
const BASIC = /^basic +([A-Za-z0-9+/_-]{1,684}={0,2}) *$/i

/** The token of `Authorization: Bearer <token>`; null for any other value. Throws a Fault without the header. */
export function bearerToken(headers: IncomingHttpHeaders): string | null {
  return BEARER.exec(credentialsIn(headers))?.[1] ?? null
}

/**
 * The password of `Authorization: Basic <base64>` with this user name; null for any other value. Throws a Fault without
 * the header.
 */
export function basicPassword(headers: IncomingHttpHeaders, user: string): string | null {
  const encoded = BASIC.exec(credentialsIn(headers))?.[1]
  if (encoded === undefined) return null
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  return decoded.startsWith(`${user}:`) ? decoded.slice(user.length + 1) : null
}

function credentialsIn({ authorization }: IncomingHttpHeaders): string {
  if (authorization === undefined || authorization === '') throw new Fault({ code: 'key_missing' })
  return authorization
}
