/**
 * Parses URLs. No error message quotes a URL that may hold a password, because a typing error can move the password
 * into any part of it.
 */
import { SettingFormError, SettingValueError } from './value-error.ts'

/** `http://` or `https://`, a host, and optionally a port and a path. The result has no slash at its end. */
export function parseBaseUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new SettingFormError('it must be a URL such as https://mail.example.com')
  }
  const { username, password, href } = new URL(text)
  if (username !== '' || password !== '') throw new SettingValueError('it must not hold a user or a password')
  if (/[?#]/.test(text)) throw new SettingValueError('it must end with its host, port or path')
  return href.replace(/\/+$/, '')
}

/** An http:// or https:// URL that may have a path and a query, like the webhook URLs of chat services. */
export function parseHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).href
  throw new SettingFormError('it must be a URL such as https://hooks.example.com/postroad')
}

/** Returns the text unchanged, because issuers are compared character by character (OpenID Connect Discovery 4.3). */
export function parseIssuer(text: string): string {
  parseBaseUrl(text)
  return text
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SettingValueError('the URL has a "%" that is not an escape; write a percent sign as %25')
  }
}

export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new SettingValueError(
      'it is not a valid URL; in user and password write @ as %40, : as %3A, / as %2F and # as %23',
    )
  }
  return new URL(text)
}
