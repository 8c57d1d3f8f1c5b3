import { isIP } from 'node:net'
import { type ProxyHeader, ProxyHeaderError, readProxyHeader } from '../../src/network/proxy/header.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'
/** More than any header may have: by then it is one, or is none. */
const ENOUGH = 8_192

/** A header is the same however it is cut on its way, what stands behind it is left, and nobody waits for ever for one. */
export const proxyHeader: FuzzTarget = {
  name: 'proxy-header',
  about: 'headers of the PROXY protocol',
  encoding: 'latin1',
  seeds: [
    'PROXY TCP4 203.0.113.7 192.0.2.1 50000 587\r\nEHLO x\r\n',
    'PROXY TCP6 2001:db8::7 ::ffff:192.0.2.1 50000 587\r\n',
    'PROXY UNKNOWN ffff::1 x 1 2\r\n',
    `${SIGNATURE}\x21\x11\0\x0c\xcb\0\x71\x07\xc0\0\x02\x01\xc3\x50\x02\x4bEHLO x\r\n`,
    `${SIGNATURE}\x21\x21\0\x29${'\x20\x01\x0d\xb8'.repeat(8)}\xc3\x50\x02\x4b\x04\0\x02\x01\x01`,
    `${SIGNATURE}\x20\0\0\0`,
    `${SIGNATURE}\x21\x31\0\xd8${'\0'.repeat(216)}`,
  ],
  tokens: [
    ...words(
      'PROXY TCP4 TCP6 UNKNOWN \r\n \r \n :: 0.0.0.0 65536 %eth0 \0 \xff \x20 \x21 \x11 \x12 \x31 \x0f\xff \x10\0 \xff\xff',
    ),
    ' ',
    SIGNATURE,
    '1'.repeat(107),
  ],
  run(input) {
    const header = unlessRefused(() => readProxyHeader(input), ProxyHeaderError)
    assert(header !== null || input.length < ENOUGH, 'it waits for more than a header can have')
    if (header) check(header, input)
    // Octet by octet: the first that says anything else than "go on" says the same.
    let early: ProxyHeader | null | undefined = null
    let seen = 0
    while (early === null && seen < input.length) {
      seen += 1
      early = unlessRefused(() => readProxyHeader(input.subarray(0, seen)), ProxyHeaderError)
    }
    if (early) assertSame('a header depends on how it was cut', early, header)
    if (early) assert(seen === early.length, 'a header was read before or after its end')
    if (early === undefined) assert(header === undefined, 'what was refused in pieces is taken as a whole')
  },
}

function check({ length, address }: ProxyHeader, input: Buffer): void {
  assert(length > 0 && length <= input.length, `a header of ${length} octets in ${input.length}`)
  assert(address === null || isIP(address) !== 0, `no address: ${address}`)
}
