/** Files of ready messages, as mail programs of all ages write them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import { listRawFiles, readRawFile } from '../../src/mail/raw/files.ts'

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'))
const mixed = (...parts: string[][]) =>
  message(
    'From: a@x.test',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    'preamble',
    ...parts.flatMap((part) => ['--b', ...part]),
    '--b--',
    '',
  )
const named = (raw: Buffer) => listRawFiles(raw).map(({ filename }) => filename)

describe('the files of a ready message', () => {
  test('of a published composer come out as they went in, in their order', async () => {
    const large = Buffer.alloc(200_000, 'größe ')
    const raw = await new MailComposer({
      from: 'a@x.test',
      to: 'b@x.test',
      text: 'hello',
      html: '<img src="cid:logo">',
      attachments: [
        { filename: 'Überweisung "März" 2026, für Jürgen Großmann und alle anderen.pdf', content: large },
        {
          filename: 'logo.png',
          content: Buffer.from([0, 255, 13, 10]),
          cid: 'logo',
          contentDisposition: 'inline',
        },
        { filename: 'empty.txt', content: '' },
        { filename: 'own.eml', content: 'Subject: s\r\n\r\nwithin', contentType: 'message/rfc822' },
      ],
    })
      .compile()
      .build()
    const files = listRawFiles(raw)
    const shown = files.map(({ filename, contentType, disposition, contentId, size }) =>
      [filename, contentType, disposition, contentId, size].join(' | '),
    )
    assert.deepEqual(shown.toSorted(), [
      'empty.txt | text/plain | attachment |  | 0',
      'logo.png | image/png | inline | logo | 4',
      'own.eml | message/rfc822 | inline |  | 20',
      `Überweisung "März" 2026, für Jürgen Großmann und alle anderen.pdf | application/pdf | attachment |  | ${large.length}`,
    ])
    const pdf = files.find(({ size }) => size === large.length)!
    assert.ok(readRawFile(raw, pdf.position)!.equals(large))
    for (const { position, size } of files) assert.equal(readRawFile(raw, position)!.length, size)
    assert.equal(readRawFile(raw, files.length), null)
  })

  test('are not its text, in either form, nor a footer', () => {
    assert.deepEqual(listRawFiles(message('From: a@x.test', '', 'hello')), [])
    const body = ['Content-Type: text/plain', '', 'hello']
    const page = ['Content-Type: text/html', '', '<p>hello']
    assert.deepEqual(listRawFiles(mixed(body, page, body)), [])
  })

  test('a text with a file name, or with the disposition attachment, is a file', () => {
    const notes = ['Content-Type: text/plain; name=notes.txt', '', 'n']
    const called = ['Content-Disposition: attachment', '', 'x']
    assert.deepEqual(named(mixed(notes, called)), ['notes.txt', 'attachment-2.txt'])
  })

  test('a message that is nothing but a file has one', () => {
    const raw = message(
      'From: a@x.test',
      'Content-Type: application/pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'aGk=',
    )
    assert.deepEqual(listRawFiles(raw), [
      {
        position: 0,
        filename: 'attachment-1.pdf',
        contentType: 'application/pdf',
        disposition: 'attachment',
        contentId: null,
        size: 2,
      },
    ])
  })

  test('a file in an attached message belongs to that message', () => {
    const inner = ['Content-Type: message/rfc822', '', 'Content-Type: application/zip; name=a.zip', '', 'z']
    assert.deepEqual(named(mixed(inner)), ['attachment-1.eml'])
  })

  test('a part of a digest is a message when it names no type', () => {
    const digest = [
      ...['Content-Type: multipart/digest; boundary=d', ''],
      ...['--d', '', 'Content-Type: application/zip; name=a.zip', '', 'z'],
      ...['--d', 'Content-Type: application/zip; name=b.zip', '', 'z', '--d--'],
    ]
    assert.deepEqual(named(mixed(digest)), ['attachment-1.eml', 'b.zip'])
  })

  const names: [header: string, name: string][] = [
    [`Content-Disposition: attachment; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
    [`Content-Disposition: attachment; filename*=iso-8859-1'de'gr%FC%DFe.txt`, 'grüße.txt'],
    [
      `Content-Disposition: attachment; filename*0*=UTF-8''gr%C3; filename*1*=%BC; filename*2="n.txt"`,
      'grün.txt',
    ],
    [`Content-Disposition: attachment; filename*0="a lo"; filename*1="ng name.txt"`, 'a long name.txt'],
    [`Content-Disposition: attachment; filename="=?utf-8?B?Z3LDvMOfZS50eHQ=?="`, 'grüße.txt'],
    [`Content-Type: text/plain; name="=?utf-8?Q?gr=C3=BC=C3=9Fe.txt?="`, 'grüße.txt'],
    // Both are there: the one that says more counts.
    [`Content-Disposition: attachment; filename="gr.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
    [`Content-Disposition: attachment; filename="../../etc/passwd"`, 'passwd'],
    [`Content-Disposition: attachment; filename="C:\\\\Users\\\\ann\\\\report.doc"`, 'report.doc'],
    [`Content-Disposition: attachment; filename*=UTF-8''a%0D%0Ab%00.txt`, 'a b .txt'],
    [`Content-Disposition: attachment; filename*=nonsense''a%ZZ%4.txt`, 'a%ZZ%4.txt'],
    [`Content-Disposition: attachment; filename*=a.txt`, 'a.txt'],
    [`Content-Disposition: attachment; filename=".."`, 'attachment-1.txt'],
  ]
  for (const [header, name] of names) {
    test(`${header} is ${JSON.stringify(name)}`, () =>
      assert.deepEqual(named(mixed([header, '', 'x'])), [name]))
  }

  test('a file with an unknown encoding is returned undecoded', () => {
    const raw = mixed([
      'Content-Type: application/x; name=a',
      'Content-Transfer-Encoding: x-uuencode',
      '',
      'M123',
    ])
    assert.equal(readRawFile(raw, 0)!.toString(), 'M123')
  })

  test('a media type that no field may hold is octets', () => {
    const types = ['text', 'a b/c', 'grün/x', '']
    const raw = mixed(...types.map((type) => [`Content-Type: ${type}; name=f`, '', 'x']))
    const shown = listRawFiles(raw).map(({ contentType }) => contentType)
    assert.deepEqual(shown, [...Array(3).fill('application/octet-stream'), 'text/plain'])
  })
})
