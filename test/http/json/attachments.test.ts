/** Attachments of `POST /emails`: all encodings in use, and a clear error for everything else. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { Resend } from 'resend'
import { readAttachments } from '../../../src/http/json/attachments.ts'
import { Refusal } from '../../../src/intake/refusal.ts'
import type { Attachment } from '../../../src/mail/message.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, emailCount } from '../requests.ts'

describe('attachments in JSON', () => {
  let service: Service
  let api: Api
  let companyId: string

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const email = (...attachments: unknown[]) => ({
    from: 'ann@acme.example',
    to: 'bob@x.test',
    text: 'hello',
    attachments,
  })
  async function accepted(attachment: object): Promise<Attachment> {
    const work = await service.store.readWork(await api.accepted(email(attachment)))
    assert.equal(work?.content.attachments.length, 1)
    return work.content.attachments[0]!
  }

  const octets = Buffer.from([0xfb, 0xff, 0xfe, 0x00, 0x68, 0x69, 0x0a])
  const base64 = octets.toString('base64')
  const encodings: Record<string, unknown> = {
    'standard base64': base64,
    'URL-safe base64 without padding': octets.toString('base64url'),
    'URL-safe base64': base64.replaceAll('+', '-').replaceAll('/', '_'),
    'base64 with line breaks': `${base64.slice(0, 4)}\r\n${base64.slice(4)}\n`,
    'an array of byte values': [...octets],
    'what JSON makes of a Buffer': octets,
  }
  for (const [name, content] of Object.entries(encodings)) {
    test(`content as ${name}`, async () => {
      const attachment = await accepted({ filename: 'a.bin', content })
      assert.ok(octets.equals(attachment.content), Buffer.from(attachment.content).toString('hex'))
      assert.equal(attachment.disposition, 'attachment')
    })
  }

  test('content of all 256 octets, in each encoding', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))
    for (const content of [all.toString('base64'), all.toString('base64url'), [...all], all]) {
      assert.ok(all.equals((await accepted({ filename: 'a', content })).content))
    }
  })

  test('an empty file is a file', async () => {
    for (const content of ['', []])
      assert.equal((await accepted({ filename: 'a', content })).content.length, 0)
  })

  for (const key of ['content_type', 'contentType']) {
    test(`the media type in ${key}`, async () => {
      const attachment = await accepted({
        filename: 'a.bin',
        content: 'aGk=',
        [key]: 'text/calendar; method=REQUEST',
      })
      assert.equal(attachment.contentType, 'text/calendar; method=REQUEST')
    })
  }

  test('a missing media type is derived from the file name', async () => {
    assert.equal((await accepted({ filename: 'a.pdf', content: 'aGk=' })).contentType, 'application/pdf')
    assert.equal(
      (await accepted({ filename: 'a.unheard', content: 'aGk=', content_type: null })).contentType,
      'application/octet-stream',
    )
  })

  test('a filename of false counts as absent: the name is derived from the media type', async () => {
    const named = await accepted({ filename: false, content: 'aGk=', content_type: 'application/pdf' })
    assert.deepEqual([named.filename, named.contentType], ['attachment-1.pdf', 'application/pdf'])
    assert.equal((await accepted({ filename: false, content: 'aGk=' })).filename, 'attachment-1.bin')
    const resend = new Resend(api.token, { baseUrl: service.url })
    const { data } = await resend.emails.send({
      ...{ from: 'ann@acme.example', to: 'bob@x.test', subject: 's', text: 'hello' },
      attachments: [{ filename: false, content: octets, contentType: 'image/png' }],
    })
    const work = await service.store.readWork(data!.id)
    const [file] = work!.content.attachments
    assert.deepEqual([file!.filename, Buffer.from(file!.content)], ['attachment-1.png', octets])
  })

  describe('a calendar', () => {
    const calendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nSUMMARY:Über\\, "alles" 🎉\r\nEND:VCALENDAR\r\n'

    // As Laravel's transport for Resend sends it: the text itself, and every other file in base64.
    for (const content_type of ['text/calendar', 'Text/Calendar; method=REQUEST; charset=utf-8']) {
      test(`of ${content_type} may be plain text`, async () => {
        const file = await accepted({ filename: 'invite.ics', content: calendar, content_type })
        assert.equal(Buffer.from(file.content).toString(), calendar)
        assert.equal(file.contentType, content_type)
      })
    }

    test('in a large body is read the same, with escapes and without', async () => {
      const large = `${calendar}${'X-PAD:a\r\n'.repeat(20_000)}`
      const plain = large.replaceAll(/[\r\n"\\]/g, ' ')
      for (const content of [large, plain]) {
        const file = await accepted({ content, filename: 'invite.ics', content_type: 'text/calendar' })
        assert.equal(Buffer.from(file.content).toString(), content)
      }
    })

    test('may be base64 as well', async () => {
      const content = Buffer.from(calendar).toString('base64')
      const file = await accepted({ filename: 'invite.ics', content, content_type: 'text/calendar' })
      assert.equal(Buffer.from(file.content).toString(), calendar)
    })
  })

  for (const key of ['content_id', 'inline_content_id']) {
    test(`${key} makes the file inline`, async () => {
      const attachment = await accepted({ filename: 'a.png', content: 'aGk=', [key]: 'logo' })
      assert.equal(attachment.disposition, 'inline')
      assert.equal(attachment.contentId, 'logo')
    })
  }

  const good = { filename: 'a.txt', content: 'aGk=' }
  const bad: [what: string, attachment: unknown, message: RegExp][] = [
    ['no filename', { content: 'aGk=' }, /`filename`/],
    ['a filename of null', { filename: null, content: 'aGk=' }, /`filename`/],
    ['an empty filename', { filename: '', content: 'aGk=' }, /`filename`/],
    ['a filename that is true', { filename: true, content: 'aGk=' }, /`filename`/],
    ['no content', { filename: 'a' }, /`content` is missing/],
    ['content of null', { filename: 'a', content: null }, /`content` is missing/],
    ['text that is not base64', { filename: 'a', content: 'BEGIN:VCALENDAR!' }, /not base64/],
    ['base64 with a character over Latin-1', { filename: 'a', content: 'a\u0141k=' }, /not base64/],
    ['base64 with a digit too many', { filename: 'a', content: 'aGkaa' }, /not base64/],
    [
      'a calendar of another type',
      { filename: 'a.ics', content: 'BEGIN:X', content_type: 'text/x' },
      /not base64/,
    ],
    [
      'half of a character in a calendar',
      { filename: 'a', content: 'BEGIN:\ud800', content_type: 'text/calendar' },
      /surrogate/,
    ],
    ['plain text', { filename: 'a', content: 'hello attachment' }, /not base64/],
    ['words of digits alone', { filename: 'a', content: 'hello attachments' }, /not base64/],
    ['base64 without padding', { filename: 'a', content: 'aGk' }, /not base64/],
    ['padding that is too long', { filename: 'a', content: 'aGk==' }, /not base64/],
    ['nothing but padding', { filename: 'a', content: '====' }, /not base64/],
    ['bits that belong to no octet', { filename: 'a', content: 'aGl=' }, /not base64/],
    ['digits of both alphabets', { filename: 'a', content: '+-+-' }, /not base64/],
    ['blanks between digits', { filename: 'a', content: 'aG k=' }, /not base64/],
    ['padding in the middle', { filename: 'a', content: 'aG==aGk=' }, /not base64/],
    ['a data URL', { filename: 'a', content: 'data:text/plain;base64,aGk=' }, /not base64/],
    ['byte values over 255', { filename: 'a', content: [1, 256] }, /position 1/],
    ['negative byte values', { filename: 'a', content: [-1] }, /position 0/],
    ['fractions as byte values', { filename: 'a', content: [1.5] }, /position 0/],
    ['strings as byte values', { filename: 'a', content: ['1'] }, /position 0/],
    ['an object as content', { filename: 'a', content: { data: [1] } }, /`content` must be/],
    ['a number as content', { filename: 'a', content: 7 }, /`content` must be/],
    ['a media type that is none', { ...good, content_type: 'nonsense' }, /media type/],
    ['a media type with a line break', { ...good, content_type: 'text/plain\r\nX: y' }, /media type/],
    ['a media type that is a number', { ...good, content_type: 1 }, /`content_type`/],
    ['a file name with CR LF', { ...good, filename: 'a\r\nX: y' }, /file name/],
    ['a file name with NUL', { ...good, filename: 'a\u0000' }, /file name/],
    ['a content id with CR LF', { ...good, content_id: 'a\r\nX: y' }, /content id/],
    ['a string instead of an object', 'a.txt', /object/],
    ['null instead of an object', null, /object/],
  ]
  for (const [what, attachment, message] of bad) {
    test(`422 invalid_attachment with its index for ${what}`, async () => {
      const before = await emailCount(service, companyId)
      const reply = await api.send(email(good, attachment))
      assertJsonError(reply, 422, 'invalid_attachment', message)
      assert.match(String(reply.body.message), /index 1/)
      assert.equal(await emailCount(service, companyId), before)
    })
  }

  test('attachments that are not an array: 422 that names the field', async () => {
    const reply = await api.send({ ...email(), attachments: { 0: good } })
    assertJsonError(reply, 422, 'validation_error', /^Invalid `attachments` field\. /)
  })

  test('path: null with content counts as absent', async () => {
    assert.equal((await accepted({ ...good, path: null })).filename, 'a.txt')
  })
})

test('base64 follows RFC 4648, in either alphabet, and anything else is refused', () => {
  const characters = [
    'A',
    'Q',
    'w',
    'z',
    '0',
    '9',
    '+',
    '/',
    '-',
    '_',
    '=',
    '=',
    '!',
    '.',
    '\f',
    '\0',
    'é',
    'Ł',
    '\ud800',
  ]
  let read = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 9 }), fc.nat(3), (pieces, padding) => {
      const content = pieces.join('') + '='.repeat(padding)
      const standard = content.replaceAll('-', '+').replaceAll('_', '/')
      const urlSafe = Buffer.from(standard, 'base64').toString('base64url')
      const padded = Buffer.from(standard, 'base64').toString('base64')
      const oneAlphabet = !(/[+/]/.test(content) && /[-_]/.test(content))
      const valid = oneAlphabet && (standard === padded || (/[-_]/.test(content) && content === urlSafe))
      let octets: Uint8Array | null = null
      try {
        octets = readAttachments([{ filename: 'a', content }])[0]!.content
      } catch (error) {
        assert(error instanceof Refusal, String(error))
      }
      assert.equal(octets !== null, valid, JSON.stringify(content))
      if (octets === null) return
      read++
      assert.equal(Buffer.from(octets).toString('base64'), Buffer.from(standard, 'base64').toString('base64'))
    }),
    { numRuns: 10_000 },
  )
  assert(read > 100, `${read} were read`)
})
