/** The Authorization header, read strictly: what is not exactly a credential of the scheme is none. */

/** RFC 6750 2.1: `Bearer` and a b64token. Schemes are case-insensitive (RFC 9110 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,256}=*) *$/i
/** RFC 7617 2: `Basic` and the base64 of `user:password`. */
const BASIC = /^basic +([A-Za-z0-9+/_-]{1,684}={0,2}) *$/i

/** The token of `Authorization: Bearer <token>`; null when the header is anything else. */
export function bearerToken(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null
}

/** User and password of `Authorization: Basic <base64>`; null when the header is anything else. */
export function basicCredentials(authorization: string): { user: string; password: string } | null {
  const encoded = BASIC.exec(authorization)?.[1]
  if (encoded === undefined) return null
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return null
  return { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}
