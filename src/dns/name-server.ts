import { getServers } from 'node:dns'
import { isIP, isIPv6 } from 'node:net'
import { isLoopback } from '../network/private-address.ts'

export interface NameServer {
  address: string
  port: number
  /**
   * The AD bit of its answers is trusted (RFC 6840 5.8): it validates, and nobody can change an answer on the way to
   * us.
   */
  validating: boolean
}

/** The given servers, or those of the system. */
export function configuredServers(servers: readonly string[]): readonly string[] {
  return servers.length > 0 ? servers : getServers()
}

/**
 * `validating`: servers that are trusted in addition to those on loopback. Throws for text that is no `ip` or
 * `ip:port`.
 */
export function nameServers(servers: readonly string[], validating: readonly string[] = []): NameServer[] {
  const believed = new Set(validating.map((text) => keyOf(parse(text))))
  return servers.map((text) => {
    const server = parse(text)
    return { ...server, validating: isLoopback(server.address) || believed.has(keyOf(server)) }
  })
}

/**
 * The servers to ask: if some are trusted to validate, only those. They answer SERVFAIL when an answer was changed on
 * the way (RFC 4035 5.5). Other servers would pass it on, and mail would lose the protection of DANE (RFC 7672 2.1).
 */
export function serversToAsk(servers: NameServer[]): NameServer[] {
  const believed = servers.filter(({ validating }) => validating)
  return believed.length > 0 ? believed : servers
}

/** Says which servers are never asked, and why. Null: all are. */
export function ignoredServers(servers: NameServer[]): string | null {
  const asked = serversToAsk(servers)
  const others = servers.filter((server) => !asked.includes(server))
  if (others.length === 0) return null
  return (
    `${namesOf(others)} ${others.length === 1 ? 'is' : 'are'} never asked, because the validated answers (DNSSEC) of ` +
    `${namesOf(asked)} alone are trusted.`
  )
}

/** Names the servers that are trusted to validate but not in use. Null: there are none. */
export function unusedTrust(servers: readonly string[], validating: readonly string[]): string | null {
  const used = nameServers(servers)
  const keys = new Set(used.map(keyOf))
  const others = nameServers(validating).filter((server) => !keys.has(keyOf(server)))
  if (others.length === 0) return null
  return `POSTROAD_DNS_VALIDATING names ${namesOf(others)}, but the DNS servers in use are ${namesOf(used)}.`
}

function namesOf(servers: NameServer[]): string {
  return servers.map(shownServer).join(', ')
}

/** Returns the form that `nameServers` reads. */
export function shownServer({ address, port }: NameServer): string {
  if (port === 53) return address
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}

function keyOf({ address, port }: Pick<NameServer, 'address' | 'port'>): string {
  return `${address} ${port}`
}

function parse(text: string): Pick<NameServer, 'address' | 'port'> {
  const parts = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+):(\d+)$/.exec(text)
  const [, address = text, port = '53'] = parts ?? []
  if (isIP(address) === 0) throw new TypeError(`${text} is not the address of a DNS server`)
  return { address, port: Number(port) }
}
