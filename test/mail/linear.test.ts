/** Composing costs twice as much for twice the message, whatever stands in it. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { withoutServicePlaceholders } from '../../src/mail/batch/substitute.ts'
import { substituteRaw } from '../../src/mail/batch/substitute-raw.ts'
import { ANY_BOUNDARY } from '../../src/mail/compose/boundary.ts'
import { compose, estimateSize } from '../../src/mail/compose/compose.ts'
import { bodyBound } from '../../src/mail/compose/size-bound.ts'
import type { Attachment, MessageContent } from '../../src/mail/message.ts'
import { measureWork } from '../support/work-meter.ts'

const MESSAGE_ID = '<chosen@acme.test>'

function content(parts: Partial<MessageContent>): MessageContent {
  return {
    from: 'a@acme.test',
    to: ['b@x.test'],
    cc: [],
    replyTo: [],
    subject: 'x',
    headers: [],
    attachments: [],
    messageId: MESSAGE_ID,
    date: 0,
    ...parts,
  }
}

/** What boundaries were before they had a secret: all that would have been tried for this Message-ID. */
function formerBoundaries(count: number): string {
  const names = Array.from({ length: count }, (_, attempt) => {
    return `=_${hash('sha256', `${MESSAGE_ID}\n${attempt}`, 'hex').slice(0, 24)}`
  })
  return names.join('\n')
}

function files(count: number, change: (index: number) => Partial<Attachment>): Attachment[] {
  return Array.from({ length: count }, (_, index) => ({
    filename: 'a',
    contentType: 'a/b',
    content: Buffer.from('x'),
    disposition: 'attachment' as const,
    ...change(index),
  }))
}

const both = (text: string) => content({ text, html: text })

/** Messages of about the given number of octets, each bad for some way of composing. */
const SHAPES: Record<string, (octets: number) => MessageContent> = {
  'a text of former boundaries': (n) => both(formerBoundaries(n / 27)),
  'one line': (n) => both('x'.repeat(n)),
  'empty lines': (n) => both('\n'.repeat(n)),
  'line breaks of each kind': (n) => both('\r\n\r\n\n'.repeat(n / 5)),
  'lines as long as they may be': (n) => both(`${'x'.repeat(998)}\n`.repeat(n / 999)),
  'lines of blanks': (n) => both(`${' '.repeat(500)}\n`.repeat(n / 501)),
  'nothing but blanks': (n) => both(' '.repeat(n)),
  'nothing but equals signs': (n) => both('='.repeat(n)),
  'nothing but ü': (n) => both('ü'.repeat(n / 2)),
  'nothing but emoji': (n) => both('😀'.repeat(n / 4)),
  'one ü in text': (n) => both(`ü${'word '.repeat(n / 5)}`),
  NUL: (n) => both('\0'.repeat(n)),
  'what begins like a boundary': (n) => both('\n--=_'.repeat(n / 5)),
  'a large file': (n) => content({ text: 'x', attachments: files(1, () => ({ content: Buffer.alloc(n) })) }),
  'many files, half of them inline': (n) =>
    content({
      html: 'x',
      attachments: files(n / 200, (index) => (index % 2 ? { disposition: 'inline', contentId: 'x' } : {})),
    }),
  'a file that is a message': (n) =>
    content({
      text: 'x',
      attachments: files(1, () => ({
        contentType: 'message/rfc822',
        content: Buffer.from('a: b\n'.repeat(n / 5)),
      })),
    }),
  'long names of files': (n) =>
    content({
      text: 'x',
      attachments: files(n / 4_000, (index) => ({ filename: (index % 2 ? 'ü' : '"').repeat(500) })),
    }),
  'a long subject in blanks': (n) => content({ text: 'x', subject: `ü${' '.repeat(n / 10)}ü` }),
  'a long subject of encoded words': (n) => content({ text: 'x', subject: '=?utf-8?q?x?= '.repeat(n / 140) }),
  'a long subject of ü': (n) => content({ text: 'x', subject: 'ü'.repeat(n / 20) }),
  'many recipients': (n) =>
    content({ text: 'x', to: Array.from({ length: n / 500 }, (_, i) => `"J. Ü" <a${i}@x.test>`) }),
  'many header fields': (n) =>
    content({
      text: 'x',
      headers: Array.from({ length: n / 500 }, (_, i): [string, string] => [
        `X-${i}`,
        `ü ${'y '.repeat(50)}`,
      ]),
    }),
  'a header field of commas': (n) =>
    content({ text: 'x', headers: [['List-Unsubscribe', `<${'a, '.repeat(n / 30)}`]] }),
}

const OCTETS = 100_000

/** Twice the work, with some room for work that is done once; not four times. */
function assertLinear(work: (octets: number) => () => unknown): void {
  // Once before: tables are made, and caches filled.
  work(OCTETS)()
  const once = measureWork('/src/mail/', work(OCTETS))
  const twice = measureWork('/src/mail/', work(2 * OCTETS))
  assert.ok(twice.steps <= 2.3 * once.steps + 1_000, `${once.steps} steps became ${twice.steps}`)
  assert.ok(
    twice.handled <= 2.3 * once.handled + 1_000,
    `${once.handled} characters handled became ${twice.handled}`,
  )
  assert.ok(twice.handled <= 60 * 2 * OCTETS, `${twice.handled} characters handled for ${2 * OCTETS} octets`)
}

describe('twice the message takes twice the work', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    test(`composing ${name}`, () => {
      assertLinear((octets) => {
        const message = shape(octets)
        return () => compose(message, ANY_BOUNDARY)
      })
    })

    test(`reckoning the size of ${name}`, () => {
      assertLinear((octets) => {
        const message = shape(octets)
        return () => [estimateSize(message), bodyBound(message)]
      })
    })
  }

  const addressee = { address: 'b@x.test', name: 'B', variables: { a: 'b' } }

  test('the rest of a header field without placeholders is not searched again from each of its blanks', () => {
    // In quadratic time this would not end.
    const blanks = ' '.repeat(2_000_000)
    const rest = `x${blanks}x,<${blanks}x,<mailto:${blanks}x`
    assert.equal(withoutServicePlaceholders(`%unsubscribe_url%,${rest}`) === rest, true)
  })

  for (const line of ['--b\n', '--b', '--', '\n', '%recipient.a%', '%recipient.', '=\n', ' ', 'x: y\n']) {
    test(`filling in a ready message of ${JSON.stringify(line)}`, () => {
      assertLinear((octets) => {
        const head = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\n%recipient.a%\n'
        const raw = Buffer.from(`${head}${line.repeat(octets / line.length)}`)
        return () => substituteRaw(raw, addressee)
      })
    })
  }
})
