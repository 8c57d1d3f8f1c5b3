/** The bound that spares the intake composing: never below the composed size, and not given where composing may fail. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatMailbox, type Mailbox, parseMailbox } from '../../src/mail/address/address.ts'
import { ANY_BOUNDARY } from '../../src/mail/compose/boundary.ts'
import { compose } from '../../src/mail/compose/compose.ts'
import { bodyBound, headerBound } from '../../src/mail/compose/size-bound.ts'
import type { MessageContent } from '../../src/mail/message.ts'

const MESSAGE_ID = '<0198f7d2-5c1b-7c2e-9d55-3b7a1f3a0c11@acme.example>'
/** What makes fields grow: words to quote, to encode and to fold, and what looks encoded already. */
const PIECES = [
  ...['Jane', 'a', ' ', '  ', '"', '\\', '.', '\t', 'ü', '漢字', '😀', 'x'.repeat(90), '"'.repeat(60)],
  ...['=?', '?=', '=?utf-8?Q?J=C3=BC?='],
]
const words = (most: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: most }).map((pieces) => pieces.join(''))
const mailbox = fc
  .tuple(words(12), fc.constantFrom('a', 'jürgen', '"a b"', 'x'.repeat(64)))
  .map(([name, local]) =>
    parseMailbox(formatMailbox({ name: name.trim(), address: `${local}@acme.example` })),
  )

function message(from: Mailbox, to: Mailbox[], subject: string): MessageContent {
  return {
    from: from.text,
    to: to.map(({ text }) => text),
    cc: [],
    replyTo: [],
    subject,
    headers: [],
    attachments: [],
    messageId: MESSAGE_ID,
    date: 1_795_000_000_000,
    text: 'x',
  }
}

describe('the bound of a header', () => {
  test('is never below the size of the written header', () => {
    fc.assert(
      fc.property(mailbox, fc.array(mailbox, { maxLength: 5 }), words(30), (from, to, subject) => {
        const bound = headerBound([[from], to], subject)
        if (bound === null) return
        const { header } = compose(message(from, to, subject), ANY_BOUNDARY)
        assert(header.length <= bound + MESSAGE_ID.length, `${header.length} > ${bound}`)
      }),
      { numRuns: 2_000 },
    )
  })

  test('is not given for a name that may fit no line', () => {
    const name = (length: number) => parseMailbox(`${'x'.repeat(length)} <a@acme.example>`)
    assert.equal(headerBound([[name(200)], [name(201)]], 'x'), null)
    assert.notEqual(headerBound([[name(200)], []], 'x'), null)
  })
})

test('the bound of a body is never below the size of the written body', () => {
  const texts = fc
    .array(fc.constantFrom(...PIECES, '\n', '\r', '\r\n', '='), { maxLength: 300 })
    .map((pieces) => pieces.join(''))
  const sender = parseMailbox('a@acme.example')
  fc.assert(
    fc.property(texts, texts, (text, html) => {
      const content = { ...message(sender, [sender], 'x'), text, html }
      const { body } = compose(content, ANY_BOUNDARY)
      assert(body.length <= bodyBound(content), `${body.length} > ${bodyBound(content)}`)
    }),
    { numRuns: 500 },
  )
})
