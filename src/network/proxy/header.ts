/**
 * The header of HAProxy's PROXY protocol, with which a proxy names both ends of a connection. Reads versions 1 and 2,
 * which load balancers send, and writes version 2.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { canonicalAddress } from '../address-range.ts'
import type { ProxiedConnection } from './proxy.ts'

/** Octets of a version 1 header with its CRLF. */
const MAX_TEXT = 107
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** Signature, version and command, family, length. */
const BINARY_HEAD = 16
/** Octets behind the head: addresses and extensions, more than any balancer sends. */
const MAX_BINARY = 4_096

/** The octets are not a valid header. */
export class ProxyHeaderError extends Error {
  override name = 'ProxyHeaderError'
}

export interface ProxyHeader {
  /** Octets of the header. */
  length: number
  /** The client's address; null for a connection of the balancer itself, or if it does not know the address. */
  address: string | null
}

/** Null while the header is incomplete. Throws ProxyHeaderError as soon as the octets cannot be a header. */
export function readProxyHeader(octets: Buffer): ProxyHeader | null {
  const seen = octets.subarray(0, SIGNATURE.length)
  return SIGNATURE.subarray(0, seen.length).equals(seen) ? binary(octets) : text(octets)
}

/** `PROXY TCP4 192.0.2.7 198.51.100.1 50123 587` */
function text(octets: Buffer): ProxyHeader | null {
  const end = octets.subarray(0, MAX_TEXT).indexOf('\r\n')
  if (end < 0) {
    const begun = octets.subarray(0, 6).toString('latin1')
    if (octets.length < MAX_TEXT && 'PROXY '.startsWith(begun)) return null
    throw new ProxyHeaderError('it does not begin with a PROXY protocol header')
  }
  const line = octets.toString('latin1', 0, end)
  const length = end + 2
  // Receivers must ignore the rest of the line after UNKNOWN.
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { length, address: null }
  const [, family, source = '', destination = '', ...ports] =
    /^PROXY TCP([46]) ([0-9A-Fa-f.:]+) ([0-9A-Fa-f.:]+) (\d{1,5}) (\d{1,5})$/.exec(line) ?? []
  const right = [source, destination].every((address) => isIP(address) === Number(family))
  if (family === undefined || !right || ports.some((port) => Number(port) > 65_535)) {
    throw new ProxyHeaderError('its PROXY protocol header cannot be read')
  }
  return { length, address: canonicalAddress(source) }
}

function binary(octets: Buffer): ProxyHeader | null {
  if (octets.length < BINARY_HEAD) return null
  const command = octets[12]!
  const size = octets.readUInt16BE(14)
  if (command >> 4 !== 2 || (command & 15) > 1 || size > MAX_BINARY) {
    throw new ProxyHeaderError('its PROXY protocol header cannot be read')
  }
  const length = BINARY_HEAD + size
  if (octets.length < length) return null
  // Command 0 (LOCAL): a connection of the balancer itself, such as a health check.
  return { length, address: (command & 15) === 0 ? null : source(octets[13]!, octets.subarray(16, length)) }
}

/** Null for a connection that is not TCP over IP. */
function source(family: number, addresses: Buffer): string | null {
  const size = { 17: 4, 33: 16 }[family]
  if (size === undefined) return null
  // Both addresses, and both ports.
  if (addresses.length < 2 * size + 4) {
    throw new ProxyHeaderError('its PROXY protocol header is incomplete')
  }
  const octets = addresses.subarray(0, size)
  if (size === 4) return octets.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => octets.readUInt16BE(2 * index).toString(16))
  return canonicalAddress(groups.join(':'))
}

/** Version 2, command PROXY. The source has no port: the proxy chooses one. */
export function proxyHeader({ from, to }: ProxiedConnection): Buffer {
  const [source, destination] = [from, to.address].map((address) => ipaddr.parse(address).toByteArray())
  const [family, size] = source!.length === 4 ? [0x11, 12] : [0x21, 36]
  const header = Buffer.alloc(BINARY_HEAD + size)
  header.set(SIGNATURE)
  header[12] = 0x21
  header[13] = family
  header.writeUInt16BE(size, 14)
  header.set([...source!, ...destination!], BINARY_HEAD)
  header.writeUInt16BE(to.port, header.length - 2)
  return header
}
