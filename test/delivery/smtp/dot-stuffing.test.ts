import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AmbiguousLineEnd, dotStuff } from '../../../src/delivery/smtp/dot-stuffing.ts'

function wire(...chunks: (string | Uint8Array)[]): string {
  const { blocks, ending, size } = dotStuff(chunks.map((chunk) => Buffer.from(chunk)))
  assert.equal(size, Buffer.concat(blocks).length)
  return Buffer.concat([...blocks, ending]).toString('latin1')
}

/** The result at a server: the text up to the first lone dot, and the rest for the command parser. */
function receive(stream: string): { text: string; rest: string } {
  const lines = stream.split('\r\n')
  const end = lines.indexOf('.')
  const text = lines.slice(0, end).map((line) => `${line.startsWith('.') ? line.slice(1) : line}\r\n`)
  return { text: text.join(''), rest: lines.slice(end + 1).join('\r\n') }
}

test('dots that open a line are doubled', () => {
  assert.equal(wire('a\r\n.\r\nb\r\n'), 'a\r\n..\r\nb\r\n.\r\n')
  assert.equal(wire('.a\r\n..b\r\nc.\r\n'), '..a\r\n...b\r\nc.\r\n.\r\n')
  assert.equal(wire('.\r\n.\r\n.\r\n'), '..\r\n..\r\n..\r\n.\r\n')
})

test('the final dot follows a line end, whether or not the message has one', () => {
  assert.equal(wire('a\r\n'), 'a\r\n.\r\n')
  assert.equal(wire('a'), 'a\r\n.\r\n')
  assert.equal(wire('a\r'), 'a\r\r\n.\r\n')
  assert.equal(wire('a\n'), 'a\n\r\n.\r\n')
  assert.equal(wire(), '.\r\n')
  assert.equal(wire('', ''), '.\r\n')
  assert.equal(wire('a\r', '\n'), 'a\r\n.\r\n')
})

test('nothing is copied when nothing needs a dot', () => {
  const chunk = Buffer.from('Subject: a.b\r\n\r\nx.y\r\n')
  const { blocks } = dotStuff([chunk])
  assert.equal(blocks.length, 1)
  assert.equal(blocks[0]!.buffer, chunk.buffer)
  assert.equal(blocks[0]!.byteOffset, chunk.byteOffset)
})

/** Texts made of what matters here, CRLF line ends only. */
const text = fc
  .array(fc.constantFrom('.', '\r\n', 'a', '..', '\r\n.', '\r\n.\r\n', 'é'), { maxLength: 30 })
  .map((parts) => parts.join(''))

test('every text arrives complete, wherever it is cut', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(80), { maxLength: 6 }), (content, cuts) => {
      const bytes = Buffer.from(content, 'latin1')
      const marks = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const chunks = marks.slice(1).map((mark, at) => bytes.subarray(marks[at]!, mark))
      const { text: arrived, rest } = receive(wire(...chunks))
      const complete = content === '' || content.endsWith('\r\n') ? content : `${content}\r\n`
      assert.equal(arrived, complete)
      assert.equal(rest, '')
    }),
  )
})

test('every single cut of a text full of dots', () => {
  const content = '.a\r\n.\r\n..\r\n\r\n.b\r\n'
  const whole = wire(content)
  for (let cut = 0; cut <= content.length; cut++) {
    assert.equal(wire(content.slice(0, cut), content.slice(cut)), whole, `cut at ${cut}`)
  }
  assert.equal(wire(...content.split('')), whole)
})

for (const smuggled of ['\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n.\r\n', 'a\n.', 'a\r.', '\r.\r\n', '\r\r.']) {
  test(`a dot after a bare line end is refused: ${JSON.stringify(smuggled)}`, () => {
    const content = `Subject: x\r\n\r\nhello${smuggled}MAIL FROM:<a@evil.test>\r\n`
    for (let cut = 0; cut <= content.length; cut++) {
      assert.throws(() => wire(content.slice(0, cut), content.slice(cut)), AmbiguousLineEnd, `cut at ${cut}`)
    }
    assert.throws(() => wire(...content.split('')), AmbiguousLineEnd)
  })
}

test('whatever the octets, a lax server finds the end where we put it, or the message is refused', () => {
  const octets = fc
    .array(fc.constantFrom('.', '\r', '\n', '\r\n', 'a'), { maxLength: 12 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(octets, (content) => {
      let stream: string
      try {
        stream = wire(content)
      } catch (error) {
        assert.ok(error instanceof AmbiguousLineEnd)
        return
      }
      // Lax servers take any of CR, LF and CRLF for a line end.
      const body = stream.slice(0, -'.\r\n'.length)
      assert.doesNotMatch(body, /(^|[\r\n])\.(\r|\n|$)/)
    }),
    { numRuns: 2000 },
  )
})
