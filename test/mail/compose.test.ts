import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import PostalMime, { type Email } from 'postal-mime'
import { formatMailbox, parseAddressList } from '../../src/mail/address/address.ts'
import { Boundaries } from '../../src/mail/compose/boundary.ts'
import {
  type ComposedMessage,
  composedSize,
  estimateSize,
  compose as made,
} from '../../src/mail/compose/compose.ts'
import { HeaderError } from '../../src/mail/header/header.ts'
import type { Attachment, MessageContent } from '../../src/mail/message.ts'

const boundaries = new Boundaries(Buffer.alloc(32, 7))

function compose(parts: MessageContent): ComposedMessage {
  return made(parts, boundaries.boundaryOf('email'))
}

function content(parts: Partial<MessageContent>): MessageContent {
  return {
    from: 'Acme <noreply@acme.test>',
    to: ['jane@x.test'],
    cc: [],
    replyTo: [],
    subject: 'Hello',
    headers: [],
    attachments: [],
    messageId: '<1@acme.test>',
    date: Date.UTC(2026, 10, 21, 0, 47, 28),
    ...parts,
  }
}

function file(parts: Partial<Attachment>): Attachment {
  return {
    filename: 'a.txt',
    contentType: 'text/plain',
    content: Buffer.from('content'),
    disposition: 'attachment',
    ...parts,
  }
}

function bytes(message: ComposedMessage): Buffer {
  return Buffer.concat([message.header, Buffer.from('\r\n'), message.body])
}

/** The whole message as text, after the checks every message must pass. */
function sound(message: ComposedMessage, parts: MessageContent): string {
  const raw = bytes(message)
  assert.equal(message.size, raw.length)
  assert.equal(composedSize(parts), raw.length)
  assert(message.size <= estimateSize(parts), `${message.size} > ${estimateSize(parts)}`)
  const text = raw.toString('latin1')
  assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n|\0/)
  for (const line of text.split('\r\n')) assert(line.length <= 998)
  assert(message.body.length === 0 || text.endsWith('\r\n'))
  const header = message.header.toString('latin1')
  for (const name of ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type']) {
    assert.equal(header.match(new RegExp(`^${name}:`, 'gim'))?.length, 1, name)
  }
  assert.doesNotMatch(header, /^bcc:/im)
  if (!message.needsSmtpUtf8) assert.match(header, /^[\x20-\x7e\t\r\n]*$/)
  assert.doesNotMatch(message.body.toString('latin1'), /[\x80-\xff]/)
  assert.deepEqual(bytes(compose(parts)), raw, 'the same bytes every time')
  return text
}

async function parsed(parts: MessageContent): Promise<Email> {
  const message = compose(parts)
  sound(message, parts)
  return PostalMime.parse(bytes(message), { attachmentEncoding: 'arraybuffer' })
}

function lines(text: string | undefined): string {
  return (text ?? '').replace(/\r\n?|\n/g, '\n').replace(/\n+$/, '')
}

describe('compose', () => {
  it('writes a message that people can read', () => {
    const parts = content({ text: 'Hi Jane,\nbye.\n', headers: [['X-Order', '17']], cc: ['Bob <b@x.test>'] })
    assert.equal(
      sound(compose(parts), parts),
      [
        'From: Acme <noreply@acme.test>',
        'To: jane@x.test',
        'Cc: Bob <b@x.test>',
        'Subject: Hello',
        'Date: Sat, 21 Nov 2026 00:47:28 +0000',
        'Message-ID: <1@acme.test>',
        'X-Order: 17',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Hi Jane,',
        'bye.',
        '',
      ].join('\r\n'),
    )
  })

  const inline = file({
    filename: 'logo.png',
    contentType: 'image/png',
    disposition: 'inline',
    contentId: 'logo',
  })
  const structures: [name: string, parts: Partial<MessageContent>, types: string[]][] = [
    ['text only', { text: 'a' }, ['text/plain']],
    ['html only', { html: '<p>a' }, ['text/html']],
    ['nothing', {}, ['text/plain']],
    ['empty text', { text: '' }, ['text/plain']],
    ['empty html', { html: '' }, ['text/html']],
    ['empty text beside html', { text: '', html: '<p>a' }, ['text/html']],
    ['both', { text: 'a', html: '<p>a' }, ['multipart/alternative', 'text/plain', 'text/html']],
    [
      'both and a file',
      { text: 'a', html: '<p>a', attachments: [file({})] },
      ['multipart/mixed', 'multipart/alternative', 'text/plain', 'text/html', 'text/plain'],
    ],
    [
      'both, an inline image and a file',
      { text: 'a', html: '<p>a', attachments: [file({}), inline] },
      [
        'multipart/mixed',
        'multipart/related',
        'multipart/alternative',
        'text/plain',
        'text/html',
        'image/png',
        'text/plain',
      ],
    ],
    [
      'html and an inline image',
      { html: '<p>a', attachments: [inline] },
      ['multipart/related', 'text/html', 'image/png'],
    ],
    [
      'text and an inline image',
      { text: 'a', attachments: [inline] },
      ['multipart/mixed', 'text/plain', 'image/png'],
    ],
  ]
  for (const [name, parts, types] of structures) {
    it(`nests parts only as deep as needed: ${name}`, () => {
      const text = sound(compose(content(parts)), content(parts))
      assert.deepEqual(
        [...text.matchAll(/^Content-Type: ([^;\r]+)/gim)].map((match) => match[1]),
        types,
      )
    })
  }

  it('names no recipient when there is none in To', async () => {
    const parts = content({ to: [], cc: ['c@x.test'], text: 'a' })
    assert.match(sound(compose(parts), parts), /^To: undisclosed-recipients:;\r\nCc: c@x\.test\r\n/m)
  })

  it('names a Sender when there are several authors (RFC 5322 3.6.2)', () => {
    const several = content({ from: 'A <a@x.test>, b@x.test', text: 'a' })
    assert.match(
      sound(compose(several), several),
      /^From: A <a@x\.test>, b@x\.test\r\nSender: A <a@x\.test>\r\n/m,
    )
    const own = content({ ...several, headers: [['sender', 'b@x.test']] })
    assert.deepEqual(sound(compose(own), own).match(/^sender: .*/gim), ['sender: b@x.test'])
  })

  it('takes a valid Date of the sender for its own and skips reserved names', () => {
    const parts = content({
      text: 'a',
      headers: [
        ['date', 'yesterday'],
        ['DATE', 'Mon, 30 Feb 2026 10:00:00 +0000'],
        ['Date', 'Thu, 19 Nov 2026 10:00:00 +0100'],
        ['message-id', '<evil@x.test>'],
        ['BCC', 'evil@x.test'],
        ['Content-Type', 'text/evil'],
        ['mime-version', '9'],
        ['DKIM-Signature', 'v=evil'],
        ['ARC-Seal', 'evil'],
        ['X-Good', 'yes'],
      ],
    })
    const text = sound(compose(parts), parts)
    assert.match(text, /^Date: Thu, 19 Nov 2026 10:00:00 \+0100\r$/m)
    assert.match(text, /^X-Good: yes\r$/m)
    assert.doesNotMatch(text, /evil/)
  })

  it('says when a header needs SMTPUTF8, and only then', () => {
    const needs = (parts: Partial<MessageContent>): boolean => {
      const whole = content({ text: 'ü', ...parts })
      const message = compose(whole)
      sound(message, whole)
      return message.needsSmtpUtf8
    }
    assert.equal(needs({ from: 'Jörg <j@bücher.test>', subject: 'ü', headers: [['X-A', 'ü']] }), false)
    assert.equal(needs({ to: ['jörg@x.test'] }), true)
    assert.equal(needs({ headers: [['Sender', 'jörg@x.test']] }), true)
    const raw = compose(content({ to: ['Jörg <jörg@bücher.test>'] })).header.toString()
    assert.match(raw, /^To: =\?utf-8\?B\?SsO2cmc=\?= <jörg@xn--bcher-kva\.test>\r$/m)
  })

  it('ends no line, field or message early, whatever is in the text (SMTP smuggling)', async () => {
    for (const smuggled of [
      '\n.\n',
      '\r.\r',
      '\r\n.\n',
      '\n.\r\n',
      '\r.\n',
      '\r\n.\r',
      '\r\n\0.\r\n',
      '\r\r\n.\r\r\n',
    ]) {
      const text = `a${smuggled}MAIL FROM:<evil@x.test>${smuggled}b`
      for (const parts of [content({ text }), content({ text, html: text }), content({ text: `ü${text}` })]) {
        const email = await parsed(parts)
        assert.equal(lines(email.text), lines(parts.text))
      }
    }
  })

  it('refuses injection in every string of the message, before and while composing', () => {
    for (const bad of ['a\r\nBcc: e@x.test', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb', 'a\ud800b']) {
      const hostile: Partial<MessageContent>[] = [
        { subject: bad },
        { from: `"${bad}" <a@x.test>` },
        { to: [`"${bad}" <a@x.test>`] },
        { cc: [`${bad}@x.test`] },
        { replyTo: [`a@x.test, ${bad}`] },
        { messageId: `<${bad}@x.test>` },
        { headers: [[`X-${bad}`, 'a']] },
        { headers: [['X-A', bad]] },
        { headers: [['List-Unsubscribe', `<https://x.test> (${bad})`]] },
        { attachments: [file({ filename: bad })] },
        { html: '<p>', attachments: [file({ disposition: 'inline', contentId: bad })] },
      ]
      for (const parts of hostile) {
        for (const attempt of [compose, estimateSize]) {
          assert.throws(
            () => attempt(content(parts)),
            { message: /line break|U\+|surrogate|Message-ID/ },
            JSON.stringify(parts),
          )
        }
      }
      const type = content({ text: 'a', attachments: [file({ contentType: `text/plain; x="${bad}"` })] })
      assert.match(sound(compose(type), type), /^Content-Type: application\/octet-stream; name="a\.txt"\r$/m)
    }
    assert.throws(() => compose(content({ messageId: '<<a@b>>' })), HeaderError)
    assert.throws(() => compose(content({ from: '' })), HeaderError)
    assert.throws(() => compose(content({ headers: [['X-A', 'x'.repeat(1200)]] })), /998/)
  })

  it('gives each multipart the given boundary, with the number of its level', () => {
    const parts = content({ text: 'a', html: 'b', attachments: [file({})] })
    const message = compose(parts)
    const boundary = boundaries.boundaryOf('email')
    const text = sound(message, parts)
    const found = [...text.matchAll(/boundary="(.*)"/g)].map(([, each]) => each)
    assert.deepEqual(found, [`${boundary}_0`, `${boundary}_1`])
    assert.equal(text.split(`--${boundary}_0`).length, 4)
    assert.equal(text.split(`--${boundary}_1`).length, 4)
  })

  it('sends a message as a message only in an encoding that RFC 2046 5.2.1 allows', async () => {
    const eml = Buffer.from('Subject: a\n\nb\n')
    const good = content({
      text: 'a',
      attachments: [file({ filename: 'a.eml', contentType: 'message/rfc822', content: eml })],
    })
    assert.match(
      sound(compose(good), good),
      /Content-Type: message\/rfc822; name="a\.eml"\r\nContent-Transfer-Encoding: 7bit\r\n[\s\S]*Subject: a\r\n\r\nb\r\n/,
    )
    for (const bad of ['Subject: ü\n\nb', `Subject: ${'x'.repeat(1000)}\n\n`, 'a\0b']) {
      const parts = content({
        text: 'a',
        attachments: [file({ filename: 'a.eml', contentType: 'message/rfc822', content: Buffer.from(bad) })],
      })
      const email = await parsed(parts)
      assert.equal(email.attachments[0]!.mimeType, 'application/octet-stream')
      assert.deepEqual(Buffer.from(email.attachments[0]!.content as ArrayBuffer), Buffer.from(bad))
    }
    const nested = content({ text: 'a', attachments: [file({ contentType: 'multipart/mixed; boundary=x' })] })
    assert.equal((await parsed(nested)).attachments[0]!.mimeType, 'application/octet-stream')
  })

  it('gives an inline file the id that the HTML refers to', async () => {
    for (const [contentId, written] of [
      ['logo.png', '<logo.png>'],
      ['my logo.png', '<my%20logo.png>'],
      ['ü>.png', '<%C3%BC%3E.png>'],
    ]) {
      const parts = content({
        html: '<img>',
        attachments: [file({ contentType: 'image/png', disposition: 'inline', contentId: contentId! })],
      })
      assert.equal((await parsed(parts)).attachments[0]!.contentId, written)
    }
  })

  it('is read back as it was written', async () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 200 })
      .filter((value) => value.isWellFormed() && !value.includes('\0'))
    const words = fc.array(
      fc.constantFrom('a', 'word', 'Größe', '日本語', '😀', '=', '.', '\n', '\r\n', ' ', '\n.\n', '\t'),
      {
        maxLength: 300,
      },
    )
    const body = fc.oneof(
      text,
      words.map((list) => list.join(' ')),
      fc.constant('x'.repeat(3000)),
    )
    const name = fc
      .string({ unit: 'binary', maxLength: 60 })
      .filter(
        (value) => value.isWellFormed() && !/[\x00-\x1f\x7f-\x9f]/.test(value) && value.trim() === value,
      )
    const mailbox = name.map((name) => formatMailbox({ name, address: 'j@x.test' }))
    const attachment = fc.record({
      filename: name.filter((value) => value !== ''),
      content: fc.uint8Array({ maxLength: 300 }),
      contentType: fc.constantFrom('application/pdf', 'text/csv; charset=utf-8', 'image/png'),
      disposition: fc.constant('attachment' as const),
    })
    const message = fc.record({
      from: mailbox,
      to: fc.array(mailbox, { minLength: 1, maxLength: 5 }),
      cc: fc.array(mailbox, { maxLength: 3 }),
      subject: name,
      text: body,
      html: body.filter((value) => value !== ''),
      attachments: fc.array(attachment, { maxLength: 3 }),
      header: name,
    })
    await fc.assert(
      fc.asyncProperty(message, async ({ header, ...parts }) => {
        const whole = content({ ...parts, headers: [['X-Note', header]] })
        const email = await parsed(whole)
        const people = (list: string[]): string[] =>
          list.flatMap((text) => parseAddressList(text)).map(({ name }) => name)
        assert.deepEqual([email.from?.name], people([whole.from]))
        assert.deepEqual(
          email.to?.map(({ name }) => name),
          people(whole.to),
        )
        assert.deepEqual(
          (email.cc ?? []).map(({ name }) => name),
          people(whole.cc),
        )
        assert.equal(email.subject ?? '', whole.subject)
        if (whole.text !== '') assert.equal(lines(email.text), lines(whole.text))
        assert.equal(lines(email.html), lines(whole.html))
        assert.equal(email.attachments.length, whole.attachments.length)
        for (const [index, { filename, content, contentType }] of whole.attachments.entries()) {
          const back = email.attachments[index]!
          assert.equal(back.filename, filename)
          assert.equal(back.mimeType, contentType.split(';')[0])
          assert.deepEqual(Buffer.from(back.content as ArrayBuffer), Buffer.from(content))
        }
      }),
      { numRuns: 300 },
    )
  })
})
