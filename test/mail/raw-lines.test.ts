/** Line ends of ready messages, and the work it takes to find their parts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withCrBeforeLf, withCrlfLines } from '../../src/mail/raw/lines.ts'
import { normaliseRaw, readRaw } from '../../src/mail/raw/raw.ts'
import { structureOf } from '../../src/mail/raw/structure.ts'

const defaults = { messageId: '<new@x.test>', date: 0 }

describe('lines that end in LF alone', () => {
  const cases: [text: string, ended: string][] = [
    ['', ''],
    ['\n', '\r\n'],
    ['a\n\nb', 'a\r\n\r\nb'],
    ['a\r\nb\nc\r\n', 'a\r\nb\r\nc\r\n'],
    ['\r\r\n\n\r', '\r\r\n\r\n\r'],
  ]
  for (const [text, ended] of cases) {
    test(`get a CR: ${JSON.stringify(text)}`, () => {
      assert.equal(withCrBeforeLf(Buffer.from(text)).toString(), ended)
    })
  }

  test('are not copied without need', () => {
    const octets = Buffer.from('a\r\nb\rc\r\n')
    assert.equal(withCrBeforeLf(octets), octets)
  })
})

describe('a header of a ready message', () => {
  const mixed: [what: string, text: string, message: RegExp][] = [
    [
      'a lone CR among CRLF lines',
      'From: a@x.test\r\nSubject: hi\rX-Evil: 1\r\rinjected\r\n\r\n',
      /Line 2 .* CR/,
    ],
    [
      'a lone CR among LF lines',
      'From: a@x.test\nSubject: hi\rX-Evil: 1\r\rinjected\n\nbody\n',
      /Line 2 .* CR/,
    ],
    ['a lone CR before the first LF', 'Subject: hi\rX-Evil: 1\r\nFrom: a@x.test\r\n\r\n', /Line 1 .* CR/],
    ['a lone CR behind the last LF', 'From: a@x.test\nSubject: hi\rX-Evil: 1\r\rinjected', /Line 2 .* CR/],
    ['a row of CRs', 'From: a@x.test\r\r\nSubject: hi\r\r\n\r\n', /Line 1 .* CR/],
    ['a lone LF among CRLF lines', 'From: a@x.test\r\nSubject: hi\nX-Evil: 1\r\n\r\n', /Line 2 .* LF alone/],
    ['CRLF among LF lines', 'From: a@x.test\nSubject: hi\r\nX-Evil: 1\n\n', /Line 2 .* CRLF/],
    ['an empty line of another kind', 'From: a@x.test\r\nSubject: hi\r\n\nbody\r\n', /Line 3 .* LF alone/],
  ]
  for (const [what, text, message] of mixed) {
    test(`with ${what} is refused`, () => {
      assert.throws(() => readRaw(Buffer.from(text)), { name: 'RawError', message })
      assert.throws(() => normaliseRaw(Buffer.from(text), defaults), { name: 'RawError', message })
    })
  }

  test('with one kind of line end is read, and the body behind it may have all of them', () => {
    for (const end of ['\r\n', '\n']) {
      const text = `From: a@x.test${end}Subject: hi${end}${end}a\rb\nc\r\r\n\r\rd\r\n`
      assert.equal(readRaw(Buffer.from(text)).subject, 'hi')
      const body = withCrlfLines(Buffer.from(text)).toString('latin1').split('\r\n\r\n').slice(1).join('|')
      assert.equal(body, 'a\r\nb\r\nc|\r\nd\r\n')
    }
    const old = readRaw(Buffer.from('From: a@x.test\rSubject: hi\r\rbody\r'))
    assert.equal(old.subject, 'hi')
  })
})

describe('looking for the parts of a message', () => {
  const message = (boundary: string, line: string) =>
    Buffer.from(
      `From: a@x.test\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n--${boundary}\r\n\r\n${line.repeat(20_000)}--${boundary}--\r\n`,
    )

  test('compares every octet at most once, whatever lines pretend to be delimiters', () => {
    const b70 = 'b'.repeat(70)
    for (const [boundary, line] of [
      ['c', '--d\r\n'],
      ['cc', '--c\r\n'],
      ['c', '--c-\r\n'],
      [b70, `--${'b'.repeat(69)}\r\n`],
      ['a  b', '--a  \r\n'],
    ] as const) {
      const octets = message(boundary, line)
      const { root, steps } = structureOf(octets)
      assert.equal(root.children.length, 1, line)
      assert.ok(steps > 0 && steps <= octets.length, `${steps} steps for ${octets.length} octets of ${line}`)
    }
  })

  test('does not compare more where many multiparts are open', () => {
    const prefix = 'b'.repeat(60)
    const boundaries = Array.from({ length: 60 }, (_, level) => `${prefix}${String.fromCharCode(48 + level)}`)
    const heads = boundaries.map((b) => `Content-Type: multipart/mixed; boundary="${b}"\r\n\r\n--${b}\r\n`)
    const octets = Buffer.from(`From: a@x.test\r\n${heads.join('')}\r\n${`--${prefix}~\r\n`.repeat(10_000)}`)
    const { steps } = structureOf(octets)
    assert.ok(steps > 0 && steps <= octets.length, `${steps} steps for ${octets.length} octets`)
  })

  test('finds the delimiter that is meant', () => {
    const parts = (text: string) => {
      const octets = Buffer.from(text.replaceAll('\n', '\r\n'))
      const { root } = structureOf(octets)
      return root.children.map((part) => octets.toString('latin1', part.bodyStart, part.bodyEnd))
    }
    const head = (boundary: string) => `Content-Type: multipart/mixed; boundary="${boundary}"\n\n`
    assert.deepEqual(parts(`${head('a')}--a \t\n\n1\n--ab\n--a--x\n--a\n\n2\n--a-- \n--a\n\n3`), [
      '1\r\n--ab\r\n--a--x',
      '2',
    ])
    // A boundary that ends in hyphens is not taken for the end of a shorter one.
    assert.deepEqual(parts(`${head('a--')}--a--\n\n1\n--a--\n\n2\n--a----\n`), ['1', '2'])
    assert.deepEqual(parts(`${head('a')}--a\n\n1\n--a${' '.repeat(400)}\n\n2\n--a--`), [
      `1\r\n--a${' '.repeat(400)}\r\n\r\n2`,
    ])
    assert.deepEqual(parts(`${head('a')}--a\n\n1\n--a`), ['1', ''])
  })
})
