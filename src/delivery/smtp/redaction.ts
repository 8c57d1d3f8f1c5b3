import type { SmtpCredentials } from './target.ts'

/** Shorter secrets would blank out ordinary words, and are hardly secret. */
const shortestSecret = 4

/**
 * Blanks out credentials in a server's replies: some servers repeat them, and replies are shown to people who may not
 * know the relay's password. Null when there is nothing to hide.
 */
export function redaction(credentials: SmtpCredentials | null): ((text: string) => string) | null {
  if (!credentials) return null
  const { user, password } = credentials
  const secrets = [
    password,
    base64(password),
    base64(plainResponse(user, password)),
    base64(xoauth2Response(user, password)),
  ].filter((secret) => secret.length >= shortestSecret)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}

/** RFC 4616 2, without an authorization identity. */
export function plainResponse(user: string, password: string): string {
  return `\0${user}\0${password}`
}

export function xoauth2Response(user: string, token: string): string {
  return `user=${user}\x01auth=Bearer ${token}\x01\x01`
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
