/** Where a message ends and which dots are its own, for octets of every kind, cut in every way. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DataOctets } from '../../src/submission/data.ts'

/** What RFC 5321 4.5.2 says, by the lines of the whole; null where it does not end. */
function expected(wire: string): { message: string; rest: string; bare: boolean } | null {
  const end = `\r\n${wire}`.indexOf('\r\n.\r\n')
  if (end < 0) return null
  const lines = `\r\n${wire}`.slice(0, end + 2).slice(2)
  return {
    message: lines.replace(/(^|\r\n)\./g, '$1'),
    rest: wire.slice(end + 3),
    bare: /\r(?!\n)|(?<!\r)\n/.test(lines),
  }
}

/** The pieces as they come. */
function read(pieces: string[]): { message: string; rest: string; bare: boolean } | null {
  const octets = new DataOctets()
  let message = ''
  for (const [index, piece] of pieces.entries()) {
    const taken = octets.read(Buffer.from(piece, 'latin1'), (part) => {
      message += part.toString('latin1')
    })
    if (taken === null) continue
    const rest = piece.slice(taken) + pieces.slice(index + 1).join('')
    return { message, rest, bare: octets.bare !== null }
  }
  return null
}

describe('octets of a message', () => {
  const piece = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '.', '..', 'x', '\r\n.', '\r\n.\r\n', '\0', '\x80'))
    .map((parts) => parts.join(''))

  test('end where CR LF, dot, CR LF stands, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const found = read(pieces)
        const wanted = expected(pieces.join(''))
        if (wanted === null) assert.equal(found, null)
        else {
          assert.ok(found !== null)
          assert.equal(found.rest, wanted.rest)
          assert.equal(found.bare, wanted.bare)
          // Of a message that is refused nobody asks for the octets.
          if (!wanted.bare) assert.equal(found.message, wanted.message)
        }
      }),
      { numRuns: 5_000 },
    )
  })
})
