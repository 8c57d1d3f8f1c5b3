import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MalformedReply, ReplyReader } from '../../../src/delivery/smtp/reader.ts'
import { type Reply, replyText } from '../../../src/delivery/smtp/reply.ts'

/** Replies read from the bytes, handed over in the given segments. */
function read(...segments: (string | Uint8Array)[]): Reply[] {
  const replies: Reply[] = []
  const reader = new ReplyReader((reply) => replies.push(reply))
  for (const segment of segments) reader.push(Buffer.from(segment))
  return replies
}

test('one line, several lines, no text', () => {
  assert.deepEqual(read('250 ok\r\n'), [{ code: 250, enhancedCode: null, lines: ['ok'] }])
  assert.deepEqual(read('250-a\r\n250-b\r\n250 c\r\n')[0]!.lines, ['a', 'b', 'c'])
  assert.deepEqual(read('250\r\n')[0], { code: 250, enhancedCode: null, lines: [''] })
  assert.deepEqual(read('250-\r\n250\r\n')[0]!.lines, ['', ''])
})

test('any segmentation gives the same replies', () => {
  const reply = fc.record({
    code: fc.integer({ min: 200, max: 599 }),
    lines: fc.array(
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((s) => s.replace(/[\r\n]/g, '')),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    lineEnd: fc.constantFrom('\r\n', '\n'),
  })
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(400)), (replies, cuts) => {
      const wire = Buffer.from(
        replies
          .map(({ code, lines, lineEnd }) =>
            lines.map((text, at) => `${code}${at < lines.length - 1 ? '-' : ' '}${text}${lineEnd}`).join(''),
          )
          .join(''),
      )
      const marks = [0, ...cuts.map((cut) => Math.min(cut, wire.length)).sort((a, b) => a - b), wire.length]
      const segments = marks.slice(1).map((mark, at) => wire.subarray(marks[at]!, mark))
      assert.deepEqual(read(...segments), read(wire))
      assert.deepEqual(
        read(wire).map(({ code }) => code),
        replies.map(({ code }) => code),
      )
    }),
  )
})

test('a character that segments cut in two is decoded', () => {
  const wire = Buffer.from('550 Empfänger ünbekannt\r\n')
  const bytes = [...wire].map((byte) => Buffer.from([byte]))
  assert.equal(read(...bytes)[0]!.lines[0], 'Empfänger ünbekannt')
})

test('enhanced codes are accepted only if their class agrees with the code (RFC 2034 4)', () => {
  assert.equal(read('550 5.1.1 unknown\r\n')[0]!.enhancedCode, '5.1.1')
  assert.equal(read('550-5.7.26 first\r\n550 5.7.26 second\r\n')[0]!.enhancedCode, '5.7.26')
  assert.equal(read('250 5.1.1 odd\r\n')[0]!.enhancedCode, null)
  assert.equal(read('550 5.1.1.1 odd\r\n')[0]!.enhancedCode, null)
  assert.equal(read('550 5.1 odd\r\n')[0]!.enhancedCode, null)
  assert.equal(read('550 user 5.1.1\r\n')[0]!.enhancedCode, null)
  assert.equal(read('250 2.0.0\r\n')[0]!.enhancedCode, '2.0.0')
})

for (const [name, wire] of [
  ['text only', 'hello\r\n'],
  ['an empty line', '\r\n'],
  ['a code of two digits', '25 ok\r\n'],
  ['a code of four digits', '2500 ok\r\n'],
  ['1yz', '150 wait\r\n'],
  ['999', '999 what\r\n'],
  ['a tab after the code', '250\tok\r\n'],
  ['NUL in the code', '2\x0050 ok\r\n'],
  ['a prompt without an end', 'login: '],
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n'],
  ['another code in the last line', '250-ok\r\n550 no\r\n'],
] as const) {
  test(`not a reply: ${name}`, () => {
    assert.throws(() => read(wire), MalformedReply)
  })
}

test('control characters in the text are replaced', () => {
  assert.equal(read('250 a\x00b\x1b[31mc\x7f\rd\r\n')[0]!.lines[0], 'a�b�[31mc��d')
})

test('a line that never ends is refused when it is too long, not when it ends', () => {
  const reader = new ReplyReader(() => assert.fail('there is no reply'))
  const segment = Buffer.alloc(1000, 'x')
  reader.push(Buffer.from('250 '))
  assert.throws(() => {
    for (let at = 0; at < 5; at++) reader.push(segment)
  }, /more than 4096 octets/)
})

test('one long segment is refused too, with or without an end', () => {
  assert.throws(() => read(`250 ${'x'.repeat(10_000)}`), MalformedReply)
  assert.throws(() => read(`250 ${'x'.repeat(10_000)}\r\n`), MalformedReply)
  assert.equal(read(`250 ${'x'.repeat(4000)}\r\n`)[0]!.lines[0]!.length, 4000)
})

test('an endless continuation is refused by number of lines and of octets', () => {
  assert.throws(() => read('250-more\r\n'.repeat(1000)), /more than 256 lines/)
  assert.throws(() => read(`250-${'x'.repeat(4000)}\r\n`.repeat(17)), /more than 65536 octets/)
})

test('clean is false while a reply is half read', () => {
  const reader = new ReplyReader(() => {})
  assert.equal(reader.clean, true)
  reader.push(Buffer.from('220 ready\r\n'))
  assert.equal(reader.clean, true)
  reader.push(Buffer.from('2'))
  assert.equal(reader.clean, false)
  reader.push(Buffer.from('50-a\r\n'))
  assert.equal(reader.clean, false)
  reader.push(Buffer.from('250 b\r\n'))
  assert.equal(reader.clean, true)
})

test('the text of a reply is one line of at most 1,000 characters', () => {
  assert.equal(replyText(read('550-5.1.1 No\r\n550-\r\n550 such user\r\n')[0]!), '550 5.1.1 No such user')
  const repeated =
    '550-5.1.1 The address is unknown. Please try\r\n550-5.1.1 double-checking\r\n550 5.1.1\r\n'
  assert.equal(replyText(read(repeated)[0]!), '550 5.1.1 The address is unknown. Please try double-checking')
  assert.equal(replyText(read('421\r\n')[0]!), '421')
  assert.equal(replyText(read(`550 ${'x'.repeat(3000)}\r\n`)[0]!).length, 1000)
})
