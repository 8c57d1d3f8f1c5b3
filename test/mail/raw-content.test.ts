/** An independent parser must find the same in a message before and after it was made fit to be sent. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { parseMailbox } from '../../src/mail/address/address.ts'
import { ANY_BOUNDARY } from '../../src/mail/compose/boundary.ts'
import { compose } from '../../src/mail/compose/compose.ts'
import type { MessageContent } from '../../src/mail/message.ts'
import { decodeBody } from '../../src/mail/raw/decode.ts'
import { withCrlfLines } from '../../src/mail/raw/lines.ts'
import { isEightBit, normaliseRaw, readRaw, toSevenBit } from '../../src/mail/raw/raw.ts'
import { readStructure } from '../../src/mail/raw/structure.ts'

const defaults = { messageId: '<new@x.test>', date: Date.UTC(2026, 10, 21, 9) }

/** Line ends are the one thing that may differ, and how many of them the parser sets between two parts that it joins. */
const text = (value: string | undefined) => value?.replace(/[\r\n]+/g, '\n').replace(/\n$/, '')

/** The content of every part, octet for octet but for the line end at the very end of the message. */
function leaves(raw: Buffer): string[] {
  const octets = withCrlfLines(raw)
  const found: string[] = []
  const waiting = [readStructure(octets)]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    waiting.push(...part.children)
    if (part.children.length === 0)
      found.push(decodeBody(octets, part).toString('latin1').replace(/\r\n$/, ''))
  }
  return found
}

async function contentOf(message: Uint8Array) {
  const parsed = await PostalMime.parse(message, { attachmentEncoding: 'arraybuffer' })
  return {
    from: parsed.from,
    to: parsed.to,
    subject: parsed.subject,
    text: text(parsed.text),
    // Made by the parser from text parts, too, with or without line ends between them.
    html: parsed.html?.replace(/[\r\n]+/g, ''),
    attachments: parsed.attachments.map(({ filename, mimeType, disposition, content }) => {
      const octets = Buffer.from(content as ArrayBuffer)
      const isText = mimeType.startsWith('text/') || mimeType.startsWith('message/')
      return {
        filename,
        mimeType,
        disposition,
        content: isText ? text(octets.toString('latin1')) : octets.toString('base64'),
      }
    }),
  }
}

interface Part {
  header: string[]
  body: Buffer
  children?: Part[]
}

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '',
      'Hello there',
      '.',
      '..',
      '--',
      '--b',
      '-- x',
      'From me',
      'a=b =20 =',
      ' indented',
      'trailing \t',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('Grüße aus Köln', '日本語のテキスト', 'x'.repeat(75), 'é'.repeat(80)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('word '.repeat(300).trimEnd(), `${'-'.repeat(1200)}`, 'ü--b'.repeat(400)),
  },
)
const content = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\r\n'))

function quotedPrintable(octets: Buffer): string {
  return octets
    .toString('latin1')
    .replace(/[^\r\n]/g, (c) => `=${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/(?:=..){25}/g, '$&=\r\n')
}

const textPart = fc
  .record({
    subtype: fc.constantFrom('plain', 'html'),
    label: fc.constantFrom('8bit', '8BIT', 'binary', 'quoted-printable', 'base64', ''),
    content,
    name: fc.constantFrom('', 'notes.txt'),
  })
  .map(({ subtype, label, content: body, name }): Part => {
    const octets = Buffer.from(body)
    const header = [`Content-Type: text/${subtype}; charset=utf-8`]
    if (label !== '') header.push(`Content-Transfer-Encoding: ${label}`)
    if (name !== '') header.push(`Content-Disposition: attachment; filename="${name}"`)
    if (label === 'base64') return { header, body: Buffer.from(octets.toString('base64')) }
    return { header, body: label === 'quoted-printable' ? Buffer.from(quotedPrintable(octets)) : octets }
  })

const filePart = fc
  .record({ octets: fc.uint8Array({ maxLength: 1500 }), wrapped: fc.boolean() })
  .map(({ octets, wrapped }): Part => {
    const base64 = Buffer.from(octets).toString('base64')
    return {
      header: [
        'Content-Type: application/pdf',
        'Content-Transfer-Encoding: base64',
        'Content-Disposition: attachment; filename="a b.pdf"',
      ],
      body: Buffer.from(wrapped ? base64.replace(/.{76}(?=.)/g, '$&\r\n') : base64),
    }
  })

const { part } = fc.letrec<{ part: Part; leaf: Part; multipart: Part }>((tie) => ({
  part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('multipart')),
  leaf: fc.oneof({ weight: 3, arbitrary: textPart }, { weight: 1, arbitrary: filePart }),
  multipart: fc
    .record({
      subtype: fc.constantFrom('mixed', 'alternative', 'related'),
      label: fc.constantFrom('', '8bit', '7bit'),
      preamble: fc.constantFrom('', 'This is a message in parts.', 'Eine Präambel', 'x'.repeat(1100)),
      epilogue: fc.constantFrom('', 'The end', 'Das Ende, schön'),
      children: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
    })
    .map(({ subtype, label, preamble, epilogue, children }) => ({
      header: [
        `Content-Type: multipart/${subtype}; boundary=BOUNDARY`,
        ...(label === '' ? [] : [`Content-Transfer-Encoding: ${label}`]),
      ],
      body: Buffer.concat([Buffer.from(preamble), Buffer.from('\0'), Buffer.from(epilogue)]),
      children,
    })),
}))

let boundaries = 0
function write(value: Part): Buffer {
  if (value.children === undefined)
    return Buffer.concat([Buffer.from(`${value.header.join('\r\n')}\r\n\r\n`), value.body])
  const boundary = `=_b${boundaries++}`
  const [preamble, epilogue] = value.body.toString().split('\0') as [string, string]
  const pieces: Buffer[] = [
    Buffer.from(`${value.header.join('\r\n').replace('BOUNDARY', `"${boundary}"`)}\r\n\r\n${preamble}`),
  ]
  for (const child of value.children) pieces.push(Buffer.from(`\r\n--${boundary}\r\n`), write(child))
  pieces.push(Buffer.from(`\r\n--${boundary}--\r\n${epilogue}`))
  return Buffer.concat(pieces)
}

const message = fc
  .tuple(part, fc.constantFrom('Hi', '=?utf-8?q?Gr=C3=BC=C3=9Fe?= there', ''))
  .map(([root, subject]) => {
    boundaries = 0
    const head = `From: =?utf-8?q?Zo=C3=AB?= <zoe@x.test>\r\nTo: "Doe, Jane" <jane@y.test>\r\nBcc: hidden@x.test\r\nSubject: ${subject}\r\n`
    return Buffer.concat([Buffer.from(`${head}MIME-Version: 1.0\r\n`), write(root)])
  })

describe('any message', () => {
  test('keeps its content when it is made fit to be sent', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (raw) => {
        const sent = normaliseRaw(raw, defaults)
        for (const each of sent.toString('latin1').split('\r\n')) assert.ok(each.length <= 998)
        assert.ok(!sent.includes('hidden@x.test'))
        assert.deepEqual(await contentOf(sent), await contentOf(raw))
        assert.deepEqual(leaves(sent), leaves(raw))
        assert.deepEqual(normaliseRaw(sent, { messageId: '<other@x.test>', date: 0 }), sent)
      }),
      { numRuns: 300 },
    )
  })

  test('keeps its content in 7-bit form', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (raw) => {
        const sent = normaliseRaw(raw, defaults)
        const sevenBit = toSevenBit(sent)
        assert.ok(!isEightBit(sevenBit))
        assert.deepEqual(await contentOf(sevenBit), await contentOf(sent))
        assert.deepEqual(leaves(sevenBit), leaves(sent))
        assert.doesNotMatch(
          sevenBit.toString('latin1'),
          isEightBit(sent) ? /^Content-Transfer-Encoding: 8bit/im : /^$^/,
        )
        assert.equal(isEightBit(sent) || sevenBit === sent, true)
      }),
      { numRuns: 300 },
    )
  })

  test('is read as the other parser reads it', async () => {
    const composed = fc.record({
      subject: fc
        .string({ unit: 'grapheme', maxLength: 60 })
        .map((s) => s.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '').trim()),
      text: content,
      html: content,
    })
    await fc.assert(
      fc.asyncProperty(composed, async ({ subject, text: plain, html }) => {
        const parts: MessageContent = {
          from: '"Zoë, Ö." <zoe@x.test>',
          to: ['jane@y.test'],
          cc: [],
          replyTo: [],
          subject,
          text: plain,
          html,
          headers: [],
          attachments: [
            {
              filename: 'ä.txt',
              contentType: 'text/plain',
              content: Buffer.from('ä'),
              disposition: 'attachment',
            },
          ],
          messageId: '<1@x.test>',
          date: defaults.date,
        }
        const { header, body } = compose(parts, ANY_BOUNDARY)
        const raw = Buffer.concat([header, Buffer.from('\r\n'), body])
        const read = readRaw(raw)
        const other = await PostalMime.parse(raw)
        assert.equal(read.subject, other.subject ?? '')
        assert.deepEqual([text(read.text ?? ''), text(read.html ?? '')], [text(plain), text(html)])
        assert.equal(parseMailbox(read.from!).text, '"Zoë, Ö." <zoe@x.test>')
        assert.deepEqual(normaliseRaw(raw, defaults), raw)
      }),
      { numRuns: 150 },
    )
  })
})

describe('7-bit form', () => {
  const eightBit = (type: string, body: string) =>
    normaliseRaw(
      Buffer.from(
        `From: a@x.test\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}`,
      ),
      defaults,
    )

  test('of text is readable, of other things base64', () => {
    const readable = toSevenBit(eightBit('text/plain; charset=utf-8', 'Grüße')).toString()
    assert.match(readable, /Content-Transfer-Encoding: quoted-printable\r\n(.*\r\n)*\r\nGr=C3=BC=C3=9Fe\r\n$/)
    const binary = toSevenBit(eightBit('application/x-thing', 'Grüße')).toString()
    assert.match(binary, /Content-Transfer-Encoding: base64/)
    assert.ok(binary.endsWith(`\r\n\r\n${Buffer.from('Grüße\r\n').toString('base64')}\r\n`))
  })

  test('converts attached messages too, and relabels the parts around them', () => {
    const inner =
      'Subject: inner\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrün'
    const outer = `--b\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${inner}\r\n--b--\r\n`
    const result = toSevenBit(eightBit('multipart/mixed; boundary=b', outer)).toString()
    assert.deepEqual(result.match(/(?<=^Content-Transfer-Encoding: ).*$/gm), [
      '7bit',
      '7bit',
      'quoted-printable',
    ])
    assert.match(result, /\r\n\r\nGr=C3=BCn\r\n--b--\r\n$/)
  })

  test('leaves a signed part alone that is 7-bit already', () => {
    const signed =
      'Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\nplain  text\r\n--s\r\nContent-Type: application/pgp-signature\r\n\r\nsig\r\n--s--'
    const raw = eightBit(
      'multipart/mixed; boundary=b',
      `--b\r\n${signed}\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrün\r\n--b--\r\n`,
    )
    const result = toSevenBit(raw).toString()
    assert.ok(result.includes(signed))
    assert.match(result, /Gr=C3=BCn/)
  })

  test('that does not exist is refused with the reason', () => {
    const cases: [Buffer, RegExp][] = [
      [
        eightBit('multipart/signed; boundary=s', '--s\r\n\r\nGrün\r\n--s--\r\n'),
        /signed part that has 8-bit octets.*break the signature/,
      ],
      [
        eightBit('message/partial; id=1; number=1', 'Grün'),
        /type message\/partial has 8-bit octets.*cannot be encoded/,
      ],
      [eightBit('multipart/mixed', 'Grün'), /type multipart\/mixed has 8-bit octets/],
      [
        eightBit(
          'multipart/mixed; boundary=b',
          '--b\r\nContent-Disposition: attachment; filename="ü"\r\n\r\nx\r\n--b--\r\n',
        ),
        /header of a part/,
      ],
    ]
    for (const [raw, reason] of cases)
      assert.throws(() => toSevenBit(raw), { name: 'RawError', message: reason })
  })

  test('of a message that is 7-bit is that message', () => {
    const raw = eightBit('text/plain', 'plain')
    assert.equal(toSevenBit(raw), raw)
  })
})
