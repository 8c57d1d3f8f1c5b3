/** Where a message ends and which dots are its own, for octets of every kind, cut in every way. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DataOctets } from '../../src/submission/data.ts'

interface Found {
  message: string
  rest: string
  bareLf: boolean
}

/** By the lines of the whole; null where it does not end. */
function expected(wire: string): Found | null {
  const end = `\r\n${wire}`.indexOf('\r\n.\r\n')
  if (end < 0) return null
  const sent = `\r\n${wire}`.slice(0, end + 2)
  // RFC 5321 4.5.2, and behind an LF alone where the dot was doubled.
  const message = sent.replace(/(\r\n)\.|(\n)\.\./g, (_, crlf, lf) => crlf ?? `${lf}.`)
  return { message: message.slice(2), rest: wire.slice(end + 3), bareLf: /(?<!\r)\n/.test(sent.slice(2)) }
}

/** The pieces as they come. */
function read(pieces: string[]): Found | null {
  const octets = new DataOctets()
  let message = ''
  for (const [index, piece] of pieces.entries()) {
    const taken = octets.readPiece(Buffer.from(piece, 'latin1'), (part) => {
      message += part.toString('latin1')
    })
    if (taken === null) continue
    const rest = piece.slice(taken) + pieces.slice(index + 1).join('')
    return { message, rest, bareLf: octets.bareLf }
  }
  return null
}

describe('octets of a message', () => {
  const piece = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '.', '..', 'x', '\n.', '\r\n.', '\r\n.\r\n', '\0', '\x80'))
    .map((parts) => parts.join(''))

  test('end where CR LF, dot, CR LF stands, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        assert.deepEqual(read(pieces), expected(pieces.join('')))
      }),
      { numRuns: 5_000 },
    )
  })
})
