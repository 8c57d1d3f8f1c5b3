/** Names in DNS: which can be asked for, and how answers are read. */
import ipaddr from 'ipaddr.js'

/** Lower case, without a final dot. */
export function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** RFC 1035 2.3.4: labels of 1 to 63 octets, 253 characters in all. The root is a name too. */
export function isName(name: string): boolean {
  if (name === '' || name === '.') return true
  if (Buffer.byteLength(name) > 253) return false
  return name.split('.').every((label) => label !== '' && Buffer.byteLength(label) <= 63)
}

/**
 * A name from an answer. The root is `''`. A label may hold any octet, so control characters, blanks and backslashes
 * are written as in a zone file (RFC 1035 5.1): a name never holds a line break.
 */
export function nameOf(decoded: string): string {
  const name = decoded === '.' ? '' : normalize(decoded)
  return name.replace(/[^\x21-\x5b\x5d-\x7e]/gu, (character) =>
    [...Buffer.from(character)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join(''),
  )
}

/** The name under which an address has its PTR record (RFC 1035 3.5, RFC 3596 2.5). Throws if it is not an address. */
export function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray()
  if (octets.length === 4) return `${octets.reverse().join('.')}.in-addr.arpa`
  const digits = Buffer.from(octets).toString('hex')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}
