import ipaddr from 'ipaddr.js'
import { canonicalAddress } from '../../network/address-range.ts'

/**
 * The unit that a source address is counted by: an IPv4 address by itself, an IPv6 address by its /64, the least that a
 * network assigns to a customer (RFC 6177 2). '' when the text is not an address.
 */
export function addressGroup(address: string): string {
  const plain = canonicalAddress(address)
  if (plain === null) return ''
  if (!plain.includes(':')) return plain
  return firstParts(plain, 4)
}

/**
 * The network around the group: an IPv6 address by its /48, all that a provider assigns to one site (RFC 6177 2), so
 * that nobody counts as 65,536 groups. An IPv4 address is its own. '' when the text is no address.
 */
export function addressNetwork(address: string): string {
  const plain = canonicalAddress(address)
  return plain?.includes(':') ? firstParts(plain, 3) : (plain ?? '')
}

function firstParts(ipv6: string, count: number): string {
  return ipaddr.IPv6.parse(ipv6).parts.slice(0, count).join(':')
}
