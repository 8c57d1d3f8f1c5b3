import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  asSevenBit,
  base64Length,
  encodeText,
  withCrlf,
  writeBase64,
} from '../../src/mail/compose/transfer-encoding.ts'
import { decodeQuotedPrintable } from '../../src/mail/raw/decode.ts'

function encoded(text: string): [encoding: string, body: string] {
  const { encoding, body } = encodeText(text)
  return [encoding, body]
}

/** RFC 2045 6.7 read the plain way. */
function plainlyDecoded(body: string): string {
  const octets = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(octets, 'latin1').toString('utf8')
}

describe('text bodies', () => {
  const cases: [text: string, encoding: string, body: string][] = [
    ['', '7bit', ''],
    ['a\nb\r\nc\rd', '7bit', 'a\r\nb\r\nc\r\nd'],
    ['a\r\rb\n\nc', '7bit', 'a\r\n\r\nb\r\n\r\nc'],
    ['.\nFrom x', '7bit', '.\r\nFrom x'],
    [`${'x'.repeat(985)}\n`, '7bit', `${'x'.repeat(985)}\r\n`],
    ['ü', 'quoted-printable', '=C3=BC'],
    ['a\0', 'quoted-printable', 'a=00'],
    ['1=1 ü', 'quoted-printable', '1=3D1 =C3=BC'],
    ['ü \nb\t\r\nc ', 'quoted-printable', '=C3=BC=20\r\nb=09\r\nc=20'],
    ['ü\r.\r', 'quoted-printable', '=C3=BC\r\n.\r\n'],
    [`${'a'.repeat(74)}ü`, 'quoted-printable', `${'a'.repeat(74)}=\r\n=C3=BC`],
  ]
  for (const [text, encoding, body] of cases) {
    it(`writes ${JSON.stringify(text).slice(0, 40)} as ${encoding}`, () =>
      assert.deepEqual(encoded(text), [encoding, body]))
  }

  it('encodes a line that Haraka and Sendmail would cut', () => {
    assert.equal(encodeText(`${'x'.repeat(986)}\n`).encoding, 'quoted-printable')
    assert.equal(asSevenBit(Buffer.from('x'.repeat(986))), null)
  })

  it('breaks a line that is too long for SMTP', () => {
    for (const text of [
      'x'.repeat(999),
      `a\n${'x'.repeat(999)}\nb`,
      `${'x'.repeat(500)}\n${'y'.repeat(1999)}`,
    ]) {
      const [encoding, body] = encoded(text)
      assert.equal(encoding, 'quoted-printable')
      assert.equal(plainlyDecoded(body), withCrlf(text))
    }
  })

  it('takes quoted-printable where little is escaped, whatever the line breaks', () => {
    const text = `ä${'abcd\n'.repeat(1_000)}`
    assert.equal(encoded(text)[0], 'quoted-printable')
    assert.deepEqual(encoded(text), encoded(text.replaceAll('\n', '\r\n')))
  })

  it('takes base64 where most of the text would be escaped', () => {
    const text = '日本語のメールです。\n'.repeat(20)
    const [encoding, body] = encoded(text)
    assert.equal(encoding, 'base64')
    assert.equal(Buffer.from(body, 'base64').toString(), text.replaceAll('\n', '\r\n'))
  })

  it('keeps every text, in lines of at most 76 or (as 7bit) 985 octets, with no bare CR or LF', () => {
    const piece = fc.oneof(
      fc.constantFrom('\r', '\n', '\r\n', ' ', '\t', '.', '=', 'ü', '😀', '日', 'From ', '\0'),
      fc.string({ unit: 'binary', maxLength: 100 }).filter((text) => text.isWellFormed()),
      fc.constant('x'.repeat(400)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        const [encoding, body] = encoded(text)
        assert.doesNotMatch(body, /\r(?!\n)|(?<!\r)\n|[\0\x80-\xff]/)
        const width = encoding === '7bit' ? 985 : 76
        for (const line of body.split('\r\n')) {
          assert(line.length <= width)
          if (encoding !== '7bit') assert.doesNotMatch(line, /[ \t]$/)
        }
        const back =
          encoding === '7bit'
            ? body
            : encoding === 'base64'
              ? Buffer.from(body, 'base64').toString()
              : plainlyDecoded(body)
        assert.equal(back, text.replace(/\r\n?|\n/g, '\r\n'))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('quoted-printable reading', () => {
  const cases: [body: string, text: string][] = [
    ['a=3Db', 'a=b'],
    ['a=3db=C3=BC', 'a=bü'],
    ['a  \r\nb\t\r\nc', 'a\r\nb\r\nc'],
    ['a=  \r\nb=\r\nc', 'abc'],
    ['a=20  \r\nb=09\t\r\n', 'a \r\nb\t\r\n'],
    [' \r\n=\r\n \r\n', '\r\n\r\n'],
    ['a = b =ZZ', 'a = b =ZZ'],
  ]
  for (const [body, text] of cases) {
    it(`reads ${JSON.stringify(body)}`, () =>
      assert.equal(decodeQuotedPrintable(Buffer.from(body)).toString(), text))
  }

  it('takes time in proportion to the body', () => {
    const body = `${' '.repeat(1_000_000)}x`
    assert.equal(decodeQuotedPrintable(Buffer.from(body)).toString(), body)
  })
})

describe('base64 bodies', () => {
  it('has the length that was computed and lines of 76', () => {
    for (const size of [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 1000, 5700, 14_591, 14_592, 14_593, 40_001]) {
      const content = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7919) >> 3))
      const out = Buffer.alloc(base64Length(size) + 2, '!')
      assert.equal(writeBase64(content, out, 1), base64Length(size) + 1)
      const text = out.toString('latin1')
      assert.equal(text.at(0), '!')
      assert.equal(text.at(-1), '!')
      assert.equal(text.slice(1, -1), (content.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n'))
    }
  })

  it('reads a view into a larger buffer at its place', () => {
    const view = new Uint8Array(Buffer.from('abcdefghi').buffer, Buffer.from('abcdefghi').byteOffset, 0)
    assert.equal(writeBase64(view, Buffer.alloc(0), 0), 0)
    const whole = new Uint8Array([1, 2, 3, 4, 5, 6])
    const out = Buffer.alloc(4)
    writeBase64(whole.subarray(2, 5), out, 0)
    assert.equal(out.toString(), Buffer.from([3, 4, 5]).toString('base64'))
  })
})

describe('7bit content', () => {
  it('is ASCII in lines that fit', () => {
    assert.equal(asSevenBit(Buffer.from('a\nb\r')), 'a\r\nb\r\n')
    for (const bad of ['ü', 'a\0', 'x'.repeat(999)]) assert.equal(asSevenBit(Buffer.from(bad)), null)
  })
})
