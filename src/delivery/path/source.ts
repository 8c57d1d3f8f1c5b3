/**
 * The sources that direct mail leaves from: addresses of this machine, or of others behind proxies, and the names that
 * they say in EHLO.
 */
import { isIP } from 'node:net'
import type { SourceAddress } from '../../config/settings.ts'
import { parseServer } from '../../email/server-name.ts'
import type { OutgoingProxy } from '../../network/proxy/proxy.ts'

/** An address of each family; null: none, so that mail leaves by the other family. */
export interface SourceAddresses {
  ipv4: string | null
  ipv6: string | null
}

/** The source that mail leaves from. */
export interface Source {
  /** Paths from sources with equal names share limits and troubles. `default`: the system chooses the address. */
  name: string
  /** EHLO name. */
  helo: string
  /** Absent: the system chooses. */
  addresses?: SourceAddresses
  /** The proxy to the address of a family; absent: this machine has the address. */
  proxies?: Partial<Record<keyof SourceAddresses, OutgoingProxy>>
  /** The reason why mail cannot leave from it on this node, as a sentence without a final dot. */
  missing?: string
}

/** The addresses of a source; none: the system chooses. */
export function addressesOfSource({ addresses }: Pick<Source, 'addresses'>): string[] {
  return [addresses?.ipv4 ?? [], addresses?.ipv6 ?? []].flat()
}

/** Sources with equal IDs open sessions from the same addresses. */
export function sourceId({ name, helo, addresses }: Source): string {
  return addresses === undefined ? name : `${addresses.ipv4 ?? ''} ${addresses.ipv6 ?? ''} ${helo}`
}

/**
 * Addresses with the same name belong together, one of each family: the first IPv4 address with the first IPv6 address.
 * The source has the name of its first address.
 */
export function sourcesOf(addresses: readonly SourceAddress[]): Source[] {
  const sources: (Source & { addresses: SourceAddresses })[] = []
  for (const { address, helo, proxy } of addresses) {
    const family = familyOf(address)
    let source = sources.find((other) => other.helo === helo && other.addresses[family] === null)
    if (source === undefined) {
      source = { name: address, helo, addresses: { ipv4: null, ipv6: null } }
      sources.push(source)
    }
    source.addresses[family] = address
    if (proxy !== undefined) source.proxies = { ...source.proxies, [family]: proxy }
  }
  return sources
}

/** The part of the source that is among these addresses; null: none of it is. */
export function restrictedTo(source: Source, among: ReadonlySet<string>): Source | null {
  if (source.addresses === undefined) return null
  const kept = (address: string | null) => (address !== null && among.has(address) ? address : null)
  const { ipv4, ipv6 } = source.addresses
  const addresses = { ipv4: kept(ipv4), ipv6: kept(ipv6) }
  if (addresses.ipv4 === ipv4 && addresses.ipv6 === ipv6) return source
  return addresses.ipv4 === null && addresses.ipv6 === null ? null : { ...source, addresses }
}

/** Where a connection leaves from. */
export interface ConnectionSource {
  localAddress: string
  /** To the machine that has the address; absent: it is this machine. */
  proxy?: OutgoingProxy
}

/** Where a connection of the source to `address` leaves from; null: no address of its family, or the system chooses. */
export function connectionSource(
  { addresses, proxies }: Pick<Source, 'addresses' | 'proxies'>,
  address: string,
): ConnectionSource | null {
  const family = familyOf(address)
  const localAddress = addresses?.[family] ?? null
  if (localAddress === null) return null
  const proxy = proxies?.[family]
  return { localAddress, ...(proxy && { proxy }) }
}

/** Whether the source can connect to the address. */
export function reaches(source: Pick<Source, 'addresses'>, address: string): boolean {
  return source.addresses === undefined || connectionSource(source, address) !== null
}

function familyOf(address: string): keyof SourceAddresses {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** The address that a session with `server` came from, of which the name tells the address: `mx.x.test [::1]:25`. */
export function sourceAddress({ addresses }: Source, server: string | null): string | null {
  if (addresses === undefined) return null
  const theirs = server === null ? null : parseServer(server).address
  return theirs === null ? (addresses.ipv4 ?? addresses.ipv6) : addresses[familyOf(theirs)]
}
