/** URLs. No message quotes one that may hold a password: a slip in it can put the password anywhere. */
import { SettingFormError, SettingValueError } from './value-error.ts'

/** `https://host[:port][/path]`, without a slash at its end. */
export function parseBaseUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new SettingFormError('it must be a URL such as https://mail.example.com')
  }
  const { username, password, search, hash, href } = new URL(text)
  if (username !== '' || password !== '') throw new SettingValueError('it must not hold a user or a password')
  if (search !== '' || hash !== '') throw new SettingValueError('it must end with its host, port or path')
  return href.replace(/\/+$/, '')
}

/** With a path and a query, as providers of chat programs make them. */
export function parseHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).href
  throw new SettingFormError('it must be a URL such as https://hooks.example.com/postroad')
}

/** Unchanged: an issuer is compared letter by letter (OpenID Connect Discovery 4.3). */
export function parseIssuer(text: string): string {
  parseBaseUrl(text)
  return text
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SettingValueError(
      'the user or password has a "%" that is not an escape; write a percent sign as %25',
    )
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
