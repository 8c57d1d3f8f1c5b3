/**
 * Ranges of IP addresses as people write them (RFC 4632 3.1, RFC 4291 2.3), and a test whether they hold an address.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The text is not a range. The message continues after the text in quotes. */
export class NotARange extends Error {
  override name = 'NotARange'
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [first: Address, bits: number]

/**
 * The canonical form of a range, e.g. `10.0.0.0/8` or `2001:db8::/32`; a single address is a range of its own (`/32`,
 * `/128`). IPv4-mapped IPv6 (RFC 4291 2.5.5.2) is IPv4. Throws NotARange, also when bits after the prefix are set:
 * another range may have been meant.
 */
export function canonicalRange(text: string): string {
  return rangeText(parse(text))
}

/** Several parsed ranges. */
export class AddressRanges {
  readonly #ranges: Range[]

  /** Throws NotARange. */
  constructor(texts: readonly string[]) {
    this.#ranges = texts.map(parse)
  }

  get size(): number {
    return this.#ranges.length
  }

  /**
   * False for text that is not an address. An IPv4-mapped IPv6 address, as a dual-stack socket reports it, is the IPv4
   * address.
   */
  includes(text: string): boolean {
    const address = addressOf(text)
    return address !== null && this.#hold(address, 128)
  }

  /** True when one of them holds all of this range. Throws NotARange. */
  covers(range: string): boolean {
    return this.#hold(...parse(range))
  }

  #hold(address: Address, least: number): boolean {
    return this.#ranges.some(([first, bits]) => {
      return bits <= least && first.kind() === address.kind() && address.match(first, bits)
    })
  }
}

/** The canonical form of an address; null for other text. A zone (`%eth0`) has only local meaning and is dropped. */
export function canonicalAddress(text: string): string | null {
  return addressOf(text)?.toString() ?? null
}

function addressOf(text: string): Address | null {
  const plain = text.replace(/%.*$/s, '')
  return isIP(plain) === 0 ? null : withoutMapping(addressFrom(plain), 128)[0]
}

/**
 * ipaddr.js reads `::1.2.3.4` (IPv4-compatible, RFC 4291 2.5.5.1) as if it were mapped; written all in groups it is
 * read correctly.
 */
function addressFrom(ip: string): Address {
  const groups = ip.replace(/(?<=:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    return `${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`
  })
  return ipaddr.parse(groups)
}

function parse(text: string): Range {
  const [, ip = '', digits] = /^([0-9A-Fa-f.:]{2,45})(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isIP(ip) === 0) {
    throw new NotARange('is not an IP address or range, like 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32')
  }
  const written = addressFrom(ip)
  const all = written.kind() === 'ipv4' ? 32 : 128
  const bits = digits === undefined ? all : Number(digits)
  if (bits > all)
    throw new NotARange(`has a prefix of ${bits} bits; an ${kindName(written)} address has ${all}`)
  const range = withoutMapping(written, bits)
  const family = range[0].kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  const network = family.networkAddressFromCIDR(rangeText(range))
  if (network.toString() === range[0].toString()) return range
  throw new NotARange(`has bits set after its prefix; did you mean ${rangeText([network, range[1]])}?`)
}

function withoutMapping(address: Address, bits: number): Range {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96]
  }
  return [address, bits]
}

function rangeText([address, bits]: Range): string {
  return `${address.toString()}/${bits}`
}

function kindName(address: Address): string {
  return address.kind() === 'ipv4' ? 'IPv4' : 'IPv6'
}
