/** Relays as they are written down beside their credentials. */
import { parseRelay } from './parse.ts'
import type { RelayRoute } from './values.ts'

/** Without user and password; all else is spelled out. */
export function relayUrl({ host, port, implicitTls, tls, auth }: RelayRoute): string {
  const name = host.includes(':') ? `[${host}]` : host
  const options = new URLSearchParams({ tls, ...(auth !== null && { auth }) })
  return `${implicitTls ? 'smtps' : 'smtp'}://${name}:${port}?${options}`
}

/** What `relayUrl` wrote, with its credentials back in. Throws NotAllowed. */
export function relayFrom(url: string, credentials: { user: string; password: string } | null): RelayRoute {
  const at = url.indexOf('//') + 2
  const login =
    credentials === null
      ? ''
      : `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
  return parseRelay(`${url.slice(0, at)}${login}${url.slice(at)}`)
}
