import { isIP } from 'node:net'
import type { DeliveryRoute, RelayRoute } from '../values.ts'
import { isHostName, portNumber } from './network.ts'
import { decoded, parseUrl } from './url.ts'
import { SettingFormError, SettingValueError } from './value-error.ts'
import { option } from './word.ts'

/**
 * `capture`, `direct`, or the URL of a relay. No error message quotes the URL, because a typing error can move the
 * password into any part of it.
 */
export function parseDelivery(text: string): DeliveryRoute {
  const word = text.toLowerCase()
  if (word === 'capture' || word === 'direct') return { kind: word }
  if (!RELAY_URL.test(text)) {
    throw new SettingValueError(
      'it must be "capture", "direct", or a relay like smtp://user:password@host:587',
    )
  }
  return parseRelay(text)
}

const RELAY_URL = /^smtps?:\/\//i
const RELAY_TLS = ['off', 'opportunistic', 'required', 'verified'] as const
const RELAY_AUTH = ['plain', 'login', 'cram-md5', 'xoauth2'] as const

/** The URL of a relay. No error message quotes it. */
export function parseRelay(text: string): RelayRoute {
  if (!RELAY_URL.test(text))
    throw new SettingFormError('it must be a relay like smtp://user:password@host:587')
  // Postfix writes brackets to skip the MX look-up; there is never one for a relay.
  if (/[@/]\[[^\]:]*\]/.test(text)) throw new SettingValueError('write the host name without brackets')
  const url = parseUrl(text)
  const implicitTls = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host))
    throw new SettingValueError('the host of the relay is missing or invalid')
  if (url.pathname !== '' && url.pathname !== '/') throw new SettingValueError('a relay has no path')

  const known = ['tls', 'auth']
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) throw new SettingValueError('the only options of a relay are ?tls= and ?auth=')
  }
  const tlsWord = url.searchParams.get('tls')
  // RFC 8314 3.3: on a port with implicit TLS, an invalid certificate ends the connection unless the setting says
  // otherwise.
  const tls =
    tlsWord === null ? (implicitTls ? 'verified' : 'opportunistic') : option('tls', tlsWord, RELAY_TLS)
  if (implicitTls && (tls === 'off' || tls === 'opportunistic')) {
    throw new SettingValueError(
      `smtps:// is always encrypted; "?tls=${tls}" contradicts it (use required or verified)`,
    )
  }
  const authWord = url.searchParams.get('auth')
  const user = decoded(url.username)
  if (authWord !== null && user === '')
    throw new SettingValueError('"?auth=" is given, but no user:password@')
  return {
    kind: 'relay',
    host,
    port: url.port === '' ? (implicitTls ? 465 : 25) : portNumber(url.port, 1),
    implicitTls,
    tls,
    user: user === '' ? null : user,
    password: user === '' ? null : decoded(url.password),
    auth: authWord === null ? null : option('auth', authWord, RELAY_AUTH),
  }
}
