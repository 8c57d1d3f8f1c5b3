import ipaddr from 'ipaddr.js'
import { canonicalAddress } from '../../network/address-range.ts'

/**
 * The unit that a source address is counted by: an IPv4 address by itself, an IPv6 address by its /64, the least that a
 * network assigns to a customer (RFC 6177 2). '' when the text is no address.
 */
export function addressGroup(address: string): string {
  const plain = canonicalAddress(address)
  if (plain === null) return ''
  if (!plain.includes(':')) return plain
  return ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':')
}
