import ipaddr from 'ipaddr.js'
import { canonicalAddress } from '../../network/address-range.ts'

/**
 * The unit by which a source address is counted: for IPv4 the address itself, for IPv6 its /64, the least that a
 * network assigns to a customer (RFC 6177 2). '' when the text is not an address.
 */
export function addressGroup(address: string): string {
  const plain = canonicalAddress(address)
  if (plain === null) return ''
  if (!plain.includes(':')) return plain
  return firstParts(plain, 4)
}

/**
 * The network around the group: for IPv6 the /48, the most that a provider assigns to one site (RFC 6177 2), so that no
 * site counts as 65,536 groups; for IPv4 the address itself. '' when the text is not an address.
 */
export function addressNetwork(address: string): string {
  const plain = canonicalAddress(address)
  return plain?.includes(':') ? firstParts(plain, 3) : (plain ?? '')
}

function firstParts(ipv6: string, count: number): string {
  return ipaddr.IPv6.parse(ipv6).parts.slice(0, count).join(':')
}
