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
 * otherwise null. These are not public: loopback, private, link-local, shared (RFC 6598), documentation, multicast, and
 * 6to4, Teredo and local NAT64 addresses, which lead through unknown translators. An IPv4-mapped or NAT64 address is
 * judged by the IPv4 address inside. Text that is not an address in plain form is not public either, including short,
 * octal and hexadecimal IPv4 spellings.
 */
function specialUse(ip: string): string | null {
  if (isIP(ip) === 0 || ip.includes('%')) return 'malformed'
  // ipaddr.js reads `::1.2.3.4` (IPv4-compatible, RFC 4291 2.5.5.1) as if it were mapped; the kernel does not.
  if (/^::\d+\./.test(ip)) return 'ipv4Compatible'
  const address = ipaddr.process(withoutNat64(ip))
  const range = address.range()
  if (range !== 'unicast') return range
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_IPV6)) return 'unallocated'
  return null
}

/** The well-known prefix of NAT64 (RFC 6052 2.1): the last 32 bits are an IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** The IPv4 address that an address of NAT64 leads to; any other address as it is. */
function withoutNat64(ip: string): string {
  if (!ip.toLowerCase().startsWith('64:ff9b:') || isIP(ip) !== 6) return ip
  const address = ipaddr.parse(ip)
  if (!address.match(NAT64)) return ip
  return address.toByteArray().slice(12).join('.')
}

/** True for `localhost`, and for an address that only programs on the same machine can reach. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost'
  return ipaddr.process(host).range() === 'loopback'
}

/** Ranges of addresses that other networks use as well. */
const NEAR: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
])

/** True for an address on this machine or in a private network, and for text that is not an address. */
export function isNear(ip: string): boolean {
  return isIP(ip) === 0 || NEAR.has(ipaddr.process(withoutNat64(ip)).range())
}

const OWN = 'is an address of this service itself'
const SENDING = 'is an address that this service sends from'
/** True for an IPv6 address that the internet can answer to. */
export function isPublicIpv6(ip: string): boolean {
  return isIP(ip) === 6 && specialUse(ip) === null
}

/** True for an IPv4 address that the internet can answer to. */
export function isPublicIpv4(ip: string): boolean {
  return isIP(ip) === 4 && specialUse(ip) === null
}

/** Returns the reason why an address may not be connected to, as a sentence without a final dot; null when it may. */
export type AddressGuard = (ip: string) => string | null

interface AddressGuardOptions {
  /** `POSTROAD_ALLOW_PRIVATE_NETWORKS`: nothing is refused. */
  allowPrivateNetworks: boolean
  /** Loopback addresses of this machine are allowed, and no other private ones. */
  allowLoopback?: boolean
  /**
   * Addresses of other machines that this service sends from: a connection from there could be trusted as their own.
   */
  sendingAddresses?: Iterable<string>
}

export function addressGuard(options: AddressGuardOptions): AddressGuard {
  if (options.allowPrivateNetworks) return () => null
  const own = new Set(interfaceAddresses().map(canonicalAddress))
  const sending = new Set([...(options.sendingAddresses ?? [])].map(canonicalAddress))
  return (ip) => {
    const special = specialUse(ip)
    if (special === 'loopback' && options.allowLoopback && isLoopback(ip)) return null
    if (special !== null) return `${ip} is not a public address (${special})`
    const address = canonicalAddress(withoutNat64(ip))
    if (own.has(address)) return `${ip} ${OWN}`
    return sending.has(address) ? `${ip} ${SENDING}` : null
  }
}

/** `reason`: as a guard returned it. */
export function refusalKind(reason: string): 'own' | 'sending' | 'special' {
  if (reason.endsWith(OWN)) return 'own'
  return reason.endsWith(SENDING) ? 'sending' : 'special'
}

/** The addresses of the network interfaces of this machine. */
export function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map((entry) => entry.address),
  )
}
