/** What the client programs send and the tests expect: made the same in both processes. */
import { createHash } from 'node:crypto'

/** Octets that look random, hold every value and every line ending, and are the same every time. */
function octets(seed: string, length: number): Buffer {
  const blocks: Buffer[] = [
    Buffer.from(Array.from({ length: 256 }, (_, value) => value)),
    Buffer.from('\r\n.\r\n\n.\n\r'),
  ]
  for (let i = 0; i * 64 < length; i++) blocks.push(createHash('sha512').update(`${seed}${i}`).digest())
  return Buffer.concat(blocks).subarray(0, length)
}

export const FILES = {
  report: { filename: 'report 2026.pdf', contentType: 'application/pdf', content: octets('report', 120_001) },
  notes: {
    filename: 'Übersicht.csv',
    contentType: 'text/csv',
    content: Buffer.from('a;b\r\n.;ü\n..\r\n1;2'),
  },
  logo: { filename: 'logo.png', contentType: 'image/png', content: octets('logo', 3_000) },
  empty: { filename: 'empty.bin', contentType: 'application/octet-stream', content: Buffer.alloc(1) },
} as const

export const HTML =
  '<!doctype html><html><body><h1>Hello Jörg</h1><p>Read <a href="https://acme.test/a?b=1&amp;c=2">this</a>.</p></body></html>'
export const TEXT = 'Hello Jörg,\n\n.a line that begins with a dot\nFrom here on = and % and ü.\n'
