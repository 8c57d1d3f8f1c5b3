/** The URLs of relays as they are stored, apart from their credentials. */
import { hostPort } from '../network/host-port.ts'
import { parseRelay } from './parse/delivery.ts'
import type { RelayRoute } from './values.ts'

/** The URL of the relay without user and password. Everything else is explicit, defaults included. */
export function relayUrl({ host, port, implicitTls, tls, auth }: RelayRoute): string {
  const options = new URLSearchParams({ tls, ...(auth !== null && { auth }) })
  return `${implicitTls ? 'smtps' : 'smtp'}://${hostPort(host, port)}?${options}`
}

/**
 * Reads a URL of `relayUrl` and adds its credentials. Null: there are none, and `auth` is left out with them. Throws
 * SettingValueError.
 */
export function relayFrom(url: string, credentials: { user: string; password: string } | null): RelayRoute {
  if (credentials === null) return parseRelay(url.replace(/&auth=[^&]*/, ''))
  const at = url.indexOf('//') + 2
  const login = `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
  return parseRelay(`${url.slice(0, at)}${login}${url.slice(at)}`)
}
