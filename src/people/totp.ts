/** Codes of authenticator apps (RFC 6238): six digits, SHA-1, thirty seconds, which all apps support. */
import { Secret, TOTP } from 'otpauth'

const PERIOD = 30
/** Octets of a secret, as RFC 4226 4 recommends. */
const SECRET = 20
/** Steps by which a clock may be off, either way. */
const WINDOW = 1

/** In base32, for typing when the code cannot be scanned. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET }).base32
}

/** The content of the QR code. */
export function totpUri(secret: string, account: string, issuer: string): string {
  return totp(secret, account, issuer).toString()
}

/**
 * The time step of a code, which must be stored: no code counts twice (RFC 6238 5.2). Null: it is wrong, or of no later
 * step than `lastStep`.
 */
export function totpStep(secret: string, code: string, lastStep: number, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const off = totp(secret).validate({ token: code, timestamp: now, window: WINDOW })
  if (off === null) return null
  const step = Math.floor(now / 1000 / PERIOD) + off
  return step > lastStep ? step : null
}

function totp(secret: string, label = '', issuer = ''): TOTP {
  return new TOTP({ issuer, label, algorithm: 'SHA1', digits: 6, period: PERIOD, secret })
}

/** The context under which a person's secret is sealed. */
export function totpContext(personId: string): string {
  return `totp:${personId}`
}
