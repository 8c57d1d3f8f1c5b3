/** Names in DNS: which can be asked for, and how they are written. */
import ipaddr from 'ipaddr.js'

/** Octets of all labels with their lengths, without the root (RFC 1035 2.3.4). */
const LONGEST_NAME = 254
const LONGEST_LABEL = 63
/** Pointers within one name, at most one for each label that a name has room for. */
const MOST_POINTERS = 127
/** The first two bits of a pointer (RFC 1035 4.1.4). */
const POINTER = 0xc0
const DOT = 0x2e
const BACKSLASH = 0x5c

/** Lower case, without a final dot. */
export function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** RFC 1035 2.3.4: labels of 1 to 63 octets, 253 characters in all. The root is a name too. */
export function isName(name: string): boolean {
  if (name === '' || name === '.') return true
  if (Buffer.byteLength(name) > LONGEST_NAME - 1) return false
  return name.split('.').every((label) => label !== '' && Buffer.byteLength(label) <= LONGEST_LABEL)
}

/**
 * Whether a host may have the written name: letters, digits and hyphens (RFC 1123 2.1), and the underscore, which some
 * hosts have nevertheless. The root, which a null MX names (RFC 7505), is one too.
 */
export function isHostName(name: string): boolean {
  return /^[a-z0-9_.-]*$/.test(name)
}

/** The octets of a message that stand for a valid name. */
export function encodedName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

/** A name as `nameAt` writes it. The root is `''`. */
export function written(name: string): string {
  return nameAt(encodedName(name), 0)
}

/** A pen for one name, of which each octet takes at most four characters. */
const pen = Buffer.alloc(4 * LONGEST_NAME)

/**
 * The name at an offset of a message, in lower case; the root is `''`. A label may hold any octet, so control
 * characters, blanks, backslashes and dots within it are written as in a zone file (RFC 1035 5.1): a name never holds a
 * line break. Throws for octets that are no name.
 */
export function nameAt(message: Buffer, offset: number): string {
  let at = offset
  let octets = 0
  let pointers = 0
  let length = 0
  for (;;) {
    const size = message.readUInt8(at)
    if (size === 0) return pen.toString('latin1', 0, length)
    if (size >= POINTER) {
      const target = message.readUInt16BE(at) & 0x3fff
      if (target >= at || ++pointers > MOST_POINTERS) throw new RangeError('A pointer that leads nowhere')
      at = target
      continue
    }
    octets += 1 + size
    const end = at + 1 + size
    if (size > LONGEST_LABEL || octets > LONGEST_NAME || end > message.length) {
      throw new RangeError('A label that is too long')
    }
    if (length > 0) pen[length++] = DOT
    for (at++; at < end; at++) length = writeOctet(message[at]!, length)
  }
}

function writeOctet(octet: number, at: number): number {
  if (octet > 0x20 && octet < 0x7f && octet !== DOT && octet !== BACKSLASH) {
    pen[at] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
    return at + 1
  }
  pen[at] = BACKSLASH
  pen[at + 1] = 0x30 + Math.floor(octet / 100)
  pen[at + 2] = 0x30 + (Math.floor(octet / 10) % 10)
  pen[at + 3] = 0x30 + (octet % 10)
  return at + 4
}

/** The offset behind the name at an offset of a message. */
export function nameEnd(message: Buffer, offset: number): number {
  let at = offset
  for (;;) {
    const size = message.readUInt8(at)
    if (size === 0) return at + 1
    if (size >= POINTER) return at + 2
    at += 1 + size
  }
}

/** The name under which an address has its PTR record (RFC 1035 3.5, RFC 3596 2.5). Throws if it is not an address. */
export function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray()
  if (octets.length === 4) return `${octets.reverse().join('.')}.in-addr.arpa`
  const digits = Buffer.from(octets).toString('hex')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}
