/** The URLs of relays as they are stored, beside their credentials. */
import { parseRelay } from './parse/delivery.ts'
import type { RelayRoute } from './values.ts'

/** The URL of the relay without user and password. Everything else is explicit, defaults included. */
export function relayUrl({ host, port, implicitTls, tls, auth }: RelayRoute): string {
  const name = host.includes(':') ? `[${host}]` : host
  const options = new URLSearchParams({ tls, ...(auth !== null && { auth }) })
  return `${implicitTls ? 'smtps' : 'smtp'}://${name}:${port}?${options}`
}

/** A URL of `relayUrl` with its credentials put back. Throws SettingValueError. */
export function relayFrom(url: string, credentials: { user: string; password: string } | null): RelayRoute {
  const at = url.indexOf('//') + 2
  const login =
    credentials === null
      ? ''
      : `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
  return parseRelay(`${url.slice(0, at)}${login}${url.slice(at)}`)
}
