/** Names in DNS: which can be asked for, and how they are written. */
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
 * Whether a host may have the written name: letters, digits and hyphens (RFC 1123 2.1), and the underscore, which some
 * hosts have nevertheless. The root, which a null MX names (RFC 7505), is one too.
 */
export function isHostName(name: string): boolean {
  return /^[a-z0-9_.-]*$/.test(name)
}

/** An octet as in a zone file (RFC 1035 5.1), if a name may not have it as it is. */
const WRITTEN = Array.from({ length: 256 }, (_, octet) => {
  const isPlain = octet > 0x20 && octet < 0x7f && octet !== 0x5c
  return isPlain ? String.fromCharCode(octet) : `\\${String(octet).padStart(3, '0')}`
})

/**
 * A name from an answer, in lower case. The root is `''`. A label may hold any octet, so control characters, blanks and
 * backslashes are written as in a zone file: a name never holds a line break.
 */
export function nameOf(decoded: string): string {
  const name = decoded === '.' ? '' : normalize(decoded)
  if (/^[\x21-\x5b\x5d-\x7e]*$/.test(name)) return name
  let written = ''
  for (const octet of Buffer.from(name)) written += WRITTEN[octet]!
  return written
}

/** The name under which an address has its PTR record (RFC 1035 3.5, RFC 3596 2.5). Throws if it is not an address. */
export function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray()
  if (octets.length === 4) return `${octets.reverse().join('.')}.in-addr.arpa`
  const digits = Buffer.from(octets).toString('hex')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}
