import { getServers } from 'node:dns'
import { isIP } from 'node:net'
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

function keyOf({ address, port }: Pick<NameServer, 'address' | 'port'>): string {
  return `${address} ${port}`
}

function parse(text: string): Pick<NameServer, 'address' | 'port'> {
  const parts = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+):(\d+)$/.exec(text)
  const [, address = text, port = '53'] = parts ?? []
  if (isIP(address) === 0) throw new TypeError(`${text} is not the address of a DNS server`)
  return { address, port: Number(port) }
}
