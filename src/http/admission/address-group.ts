import { isIPv4 } from 'node:net'

/**
 * Whom a source address stands for: an IPv4 address for itself, an IPv6 address for its /64, which is what one customer
 * of a network is given at least (RFC 6177 2).
 */
export function addressGroup(address: string): string {
  // An IPv4 client of a socket for both (RFC 4291 2.5.5.2).
  const v4 = address.startsWith('::ffff:') ? address.slice(7) : address
  if (isIPv4(v4)) return v4
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const parts = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const rest = tail === '' ? 0 : tail.split(':').length
    while (parts.length + rest < 8) parts.push('0')
  }
  return parts
    .concat(['0', '0', '0', '0'])
    .slice(0, 4)
    .map((part) => part.toLowerCase())
    .join(':')
}
