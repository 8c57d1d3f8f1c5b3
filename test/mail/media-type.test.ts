import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { encodeParameter, legacyNameParameter, parameterField } from '../../src/mail/compose/parameter.ts'
import { isMessageDate, messageDate } from '../../src/mail/header/date.ts'
import { allowsBase64, mediaTypeOf, parseMediaType } from '../../src/mail/media-type.ts'

describe('media type', () => {
  const valid: [text: string, essence: string, ...parameters: [string, string][]][] = [
    ['text/plain', 'text/plain'],
    [' Text/HTML ', 'text/html'],
    ['text/plain; charset=utf-8', 'text/plain', ['charset', 'utf-8']],
    ['text/plain;Charset = "utf-8" ;', 'text/plain', ['charset', 'utf-8']],
    [
      'text/calendar; method=REQUEST; name="a \\"b\\"; c.ics"',
      'text/calendar',
      ['method', 'REQUEST'],
      ['name', 'a "b"; c.ics'],
    ],
    ['application/vnd.x+json', 'application/vnd.x+json'],
  ]
  for (const [text, essence, ...parameters] of valid) {
    it(`reads ${text}`, () => assert.deepEqual(parseMediaType(text), { essence, parameters }))
  }

  it('rejects everything else', () => {
    for (const text of [
      '',
      'text',
      'text/',
      '/plain',
      'text/plain/x',
      'text /plain',
      'text/pl ain',
      'text/plain, a/b',
      'text/plain; a',
      'text/plain; a="b',
      'text/plain; =b',
      'text/plain\r\nX: y',
      'text/plain\0',
      'text/plän',
      `text/${'x'.repeat(500)}`,
    ]) {
      assert.equal(parseMediaType(text), null, text)
    }
  })

  it('is derived from the file name', () => {
    assert.equal(mediaTypeOf('a.pdf'), 'application/pdf')
    assert.equal(mediaTypeOf('A.PNG'), 'image/png')
    assert.equal(mediaTypeOf('a.unknown-thing'), 'application/octet-stream')
    assert.equal(mediaTypeOf('Makefile'), 'application/octet-stream')
  })

  it('says which types must not be encoded as base64', () => {
    for (const type of ['message/rfc822', 'message/delivery-status', 'multipart/mixed'])
      assert(!allowsBase64(type), type)
    for (const type of ['text/plain', 'message/global', 'image/png']) assert(allowsBase64(type), type)
  })
})

describe('parameters', () => {
  const cases: [value: string, ...pieces: string[]][] = [
    ['token', 'filename=token'],
    ['a.pdf', 'filename="a.pdf"'],
    ['a "b" \\c.pdf', 'filename="a \\"b\\" \\\\c.pdf"'],
    ['ü.pdf', "filename*=UTF-8''%C3%BC.pdf"],
    ["o'n%*.pdf ü", "filename*=UTF-8''o%27n%25%2A.pdf%20%C3%BC"],
    ['x'.repeat(100), `filename*0="${'x'.repeat(63)}"`, `filename*1="${'x'.repeat(37)}"`],
  ]
  for (const [value, ...pieces] of cases) {
    it(`writes ${value.slice(0, 30)}`, () => assert.deepEqual(encodeParameter('filename', value), pieces))
  }

  it('arrive complete, in lines of at most 78 characters', async () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 250 })
      .filter((text) => text.isWellFormed() && !/[\x00-\x1f\x7f-\x9f]/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.oneof(name, fc.stringMatching(/^[ -~]{1,250}$/)), async (filename) => {
        const fields =
          parameterField('Content-Type', 'application/pdf', [legacyNameParameter(filename)]) +
          parameterField('Content-Disposition', 'attachment', encodeParameter('filename', filename))
        for (const line of fields.split('\r\n')) assert(line.length <= 78, line)
        assert.match(fields, /^[\x20-\x7e\r\n]*$/)
        const email = await PostalMime.parse(`${fields}\r\nx`)
        assert.equal(email.attachments[0]?.filename, filename)
      }),
    )
  })

  it('also arrive at readers that know only the name parameter of Content-Type', async () => {
    const field = parameterField('Content-Type', 'application/pdf', [
      legacyNameParameter(`Angebot ${'für Müller '.repeat(9)}.pdf`),
    ])
    const email = await PostalMime.parse(`${field}Content-Disposition: attachment\r\n\r\nx`)
    assert.equal(email.attachments[0]?.filename, `Angebot ${'für Müller '.repeat(9)}.pdf`)
  })
})

describe('message date', () => {
  it('is written with a numeric zone', () => {
    assert.equal(messageDate(Date.UTC(2026, 1, 3, 4, 5, 6, 789)), 'Tue, 03 Feb 2026 04:05:06 +0000')
    assert(isMessageDate(messageDate(0)))
  })

  it('is recognized among other texts', () => {
    for (const text of [
      'Thu, 20 Nov 2026 10:00:00 GMT',
      '1 Jan 2026 00:00 +0100',
      ' Sat, 29 Feb 2028 23:59:60 -1130 ',
    ]) {
      assert(isMessageDate(text), text)
    }
    for (const text of [
      '',
      'now',
      '2026-11-20T10:00:00Z',
      '29 Feb 2026 10:00:00 +0000',
      '1 Foo 2026 10:00:00 +0000',
      '1 Jan 2026 24:00:00 +0000',
      '1 Jan 26 10:00:00 +0000',
      '1 Jan 2026 10:00:00',
      '1 Jan 2026 10:00:00 +0000\r\nX: y',
      '0 Jan 2026 10:00:00 +0000',
    ]) {
      assert(!isMessageDate(text), text)
    }
  })
})
