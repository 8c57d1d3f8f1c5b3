import ipaddr from 'ipaddr.js'
import { canonicalAddress } from '../../network/address-range.ts'

/**
 * Whom a source address stands for: an IPv4 address for itself, an IPv6 address for its /64, which is what one customer
 * of a network is given at least (RFC 6177 2). '' for what is no address.
 */
export function addressGroup(address: string): string {
  const plain = canonicalAddress(address)
  if (plain === null) return ''
  if (!plain.includes(':')) return plain
  return ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':')
}
