/**
 * Decides which addresses the service may connect to when an outside party names them (an MX record, a webhook URL).
 * The author of such a record must not be able to point the service at its own network. The check belongs on the very
 * address that is connected to: checking a name first and resolving it again later is no check.
 */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { canonicalAddress } from './address-range.ts'

/**
 * All of IPv6 that is allocated for the public internet (RFC 4291 2.4, IANA): outside of it lie `::/96` and the like.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/**
 * The special use of `ip` when it is not a public unicast address (`loopback`, `private`, `6to4`, `malformed`, ...);
 * otherwise null. Not public are: loopback, private, link-local, shared (RFC 6598), documentation, multicast, and the
 * forms that carry an IPv4 address inside (mapped ones are judged by it; NAT64, 6to4 and Teredo lead through
 * translators and are refused). Text that is not an address in plain form is not public either, including short, octal
 * and hexadecimal IPv4 spellings.
 */
function specialUse(ip: string): string | null {
  if (isIP(ip) === 0 || ip.includes('%')) return 'malformed'
  // ipaddr.js reads `::1.2.3.4` (IPv4-compatible, RFC 4291 2.5.5.1) as if it were mapped; the kernel does not.
  if (/^::\d+\./.test(ip)) return 'ipv4Compatible'
  const address = ipaddr.process(ip)
  const range = address.range()
  if (range !== 'unicast') return range
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_IPV6)) return 'unallocated'
  return null
}

/** True for an address, or the name, that only programs on the same machine can reach. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost'
  return ipaddr.process(host).range() === 'loopback'
}

/** Returns the reason why an address may not be connected to, as a sentence without a final dot; null when it may. */
export type AddressGuard = (ip: string) => string | null

export interface AddressGuardOptions {
  /** `POSTROAD_ALLOW_PRIVATE_NETWORKS`: nothing is refused. */
  allowPrivateNetworks: boolean
  /** The machine's own addresses, refused too (mail to them would come back); those of its interfaces when absent. */
  ownAddresses?: Iterable<string>
}

export function addressGuard(options: AddressGuardOptions): AddressGuard {
  if (options.allowPrivateNetworks) return () => null
  const own = new Set([...(options.ownAddresses ?? interfaceAddresses())].map(canonicalAddress))
  return (ip) => {
    const special = specialUse(ip)
    if (special !== null) return `${ip} is not a public address (${special})`
    return own.has(canonicalAddress(ip)) ? `${ip} is an address of this machine itself` : null
  }
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map((entry) => entry.address),
  )
}
