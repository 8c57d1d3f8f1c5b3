/** The bounds of the intake, and its treatment of files and headers. The tests check answers, not speed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Api, assertJsonError, emailCount } from '../http/requests.ts'
import { type Service, startService } from '../support/service.ts'

describe('bounds of the intake', () => {
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

  const minimal = { from: 'ann@acme.example', to: 'bob@x.test', text: 'hello' }
  const file = { filename: 'a.txt', content: 'aGk=' }
  const million = (make: (n: number) => string) => Array.from({ length: 1_000_000 }, (_, n) => make(n))

  const refused: [what: string, email: () => object, name: string, message: RegExp][] = [
    [
      'a subject of millions of characters',
      () => ({ subject: 'é'.repeat(5_000_000) }),
      'validation_error',
      /`subject`.* 262144 octets/,
    ],
    [
      'a header of millions of characters',
      () => ({ headers: { 'X-A': 'é'.repeat(5_000_000) } }),
      'validation_error',
      /`headers\.X-A`.* 262144 octets/,
    ],
    [
      'a header name of millions of characters',
      () => ({ headers: { ['x'.repeat(5_000_000)]: 'a' } }),
      'validation_error',
      /262144 octets/,
    ],
    [
      'a sender of millions of characters',
      () => ({ from: `${'é'.repeat(5_000_000)} <ann@acme.example>` }),
      'validation_error',
      /`from`.* 262144 octets/,
    ],
    [
      'headers that are too large together only',
      () => ({
        subject: 'x '.repeat(60_000),
        headers: { 'X-A': 'x '.repeat(60_000), 'X-B': 'x '.repeat(60_000) },
      }),
      'validation_error',
      /`headers\.X-B`.* 262144 octets/,
    ],
    [
      'a million addresses in reply_to',
      () => ({ reply_to: million((n) => `a${n}@x.test`) }),
      'validation_error',
      /`reply_to`.* 262144 octets/,
    ],
    [
      '101 addresses in reply_to',
      () => ({ reply_to: Array.from({ length: 101 }, (_, n) => `a${n}@x.test`) }),
      'validation_error',
      /`reply_to`.* more than 100 addresses/,
    ],
    [
      'a million times the same recipient',
      () => ({ to: million(() => 'bob@x.test') }),
      'validation_error',
      /Too many recipients.*1000/,
    ],
    [
      'a million recipients in one string',
      () => ({ cc: million(() => 'b@x.test').join() }),
      'validation_error',
      /Too many recipients.*1000/,
    ],
    [
      'a million recipients with names of other scripts',
      () => ({ bcc: million((n) => `a${n}@bücher.test`) }),
      'validation_error',
      /Too many recipients.*1000/,
    ],
    [
      'millions of comments where recipients should be',
      () => ({ cc: '(),'.repeat(3_000_000) }),
      'validation_error',
      /Too many recipients.*1000/,
    ],
    [
      'comments of millions of characters beside a recipient',
      () => ({ to: `bob@x.test (${'x'.repeat(20_000_000)})` }),
      'validation_error',
      /`to`.* to, cc and bcc have more than 1024000 octets/,
    ],
    [
      'spaces that go over the bound together',
      () => ({ to: `bob@x.test${' '.repeat(600_000)}`, bcc: `${' '.repeat(600_000)}al@x.test` }),
      'validation_error',
      /`bcc`.* to, cc and bcc have more than 1024000 octets/,
    ],
    [
      'a file name of millions of characters',
      () => ({ attachments: [{ ...file, filename: 'é'.repeat(5_000_000) }] }),
      'invalid_attachment',
      /index 0: its file name is longer than 1000 octets/,
    ],
    [
      'a file name of 1001 octets',
      () => ({ attachments: [file, { ...file, filename: 'a'.repeat(1001) }] }),
      'invalid_attachment',
      /index 1: its file name is longer than 1000 octets/,
    ],
    [
      'a content id of 501 octets',
      () => ({ attachments: [{ ...file, content_id: 'a'.repeat(501) }] }),
      'invalid_attachment',
      /index 0: its content id is longer than 500 octets/,
    ],
    ...['/', '\\\\', '..', 'a/..', '../../', '.', ' . '].map(
      (filename): [string, () => object, string, RegExp] => [
        `the file name ${filename}`,
        () => ({ attachments: [{ ...file, filename }] }),
        'invalid_attachment',
        /index 0: it has no file name/,
      ],
    ),
    ...['Sender', 'References', 'In-Reply-To', 'Date'].map((name): [string, () => object, string, RegExp] => [
      `${name} given twice`,
      () => ({ headers: { [name]: '<a@acme.example>', [name.toLowerCase()]: '<b@acme.example>' } }),
      'validation_error',
      new RegExp(`\`headers\\.${name.toLowerCase()}\`.*more than once`),
    ]),
  ]
  for (const [what, email, name, message] of refused) {
    test(`refuse ${what}`, async () => {
      const reply = await api.send({ ...minimal, ...email() })
      assertJsonError(reply, 422, name as 'validation_error', message)
      assert.equal(await emailCount(service, companyId), 0)
    })
  }

  const contentOf = async (email: object) =>
    (await service.store.readWork(await api.accepted({ ...minimal, ...email })))!.content

  describe('let pass', () => {
    test('header text up to the bound', async () => {
      const subject = 'x '.repeat(131_000)
      assert.equal((await contentOf({ subject })).subject, subject)
    })

    test('a recipient named a thousand times over, and 1000 named twice', async () => {
      const again = await api.accepted({ ...minimal, to: Array.from({ length: 2000 }, () => 'bob@x.test') })
      assert.equal((await service.store.readWork(again))?.recipients.length, 1)
      const list = Array.from({ length: 1000 }, (_, n) => `a${n}@x.test`)
      const twice = await api.accepted({ ...minimal, to: list, cc: list })
      assert.equal((await service.store.readWork(twice))?.recipients.length, 1000)
    })

    test('100 addresses in reply_to, groups, and half a million commas', async () => {
      const list = Array.from({ length: 100 }, (_, n) => `a${n}@x.test`)
      assert.equal((await contentOf({ reply_to: list })).replyTo.length, 100)
      const odd = await contentOf({ from: 'us: ann@acme.example;', to: `${','.repeat(500_000)}bob@x.test` })
      assert.deepEqual([odd.from, odd.to], ['ann@acme.example', ['bob@x.test']])
    })

    test('comments and spaces, without keeping them', async () => {
      const kept = await contentOf({
        from: `Ann ${' '.repeat(100_000)}<ann@acme.example> (${'x'.repeat(100_000)})`,
        to: [`<bob@x.test> (${'x'.repeat(300_000)})`, `al@x.test ${'()'.repeat(100_000)}`],
        cc: `Team: Al <c@x.test>${' '.repeat(100_000)};`,
        headers: { Sender: `<ann@acme.example> (${'x'.repeat(10_000)})` },
      })
      assert.deepEqual(
        [kept.from, kept.to, kept.cc, kept.headers],
        [
          'Ann <ann@acme.example>',
          ['bob@x.test', 'al@x.test'],
          ['Al <c@x.test>'],
          [['Sender', 'ann@acme.example']],
        ],
      )
    })

    test('fields that may occur more than once', async () => {
      const headers = { 'X-A': '1', 'x-a': '2', Comments: 'a', comments: 'b' }
      assert.deepEqual((await contentOf({ headers })).headers, Object.entries(headers))
    })

    test('Content-Language and Content-* fields that are not about the encoded body', async () => {
      const kept = { 'Content-Language': 'de', 'Content-Description': 'news' }
      const ignored = { 'Content-Disposition': 'attachment', 'Content-ID': '<a@b>', 'Resent-Bcc': 'e@x.test' }
      assert.deepEqual((await contentOf({ headers: { ...ignored, ...kept } })).headers, Object.entries(kept))
    })
  })

  describe('files', () => {
    const names: [given: string, travels: string][] = [
      ['../../etc/passwd', 'passwd'],
      ['C:\\docs\\report.pdf', 'report.pdf'],
      ['a/b\\c.txt', 'c.txt'],
      ['.htaccess', '.htaccess'],
      ['a..b', 'a..b'],
      ['é'.repeat(500), 'é'.repeat(500)],
    ]
    for (const [filename, travels] of names) {
      test(`travel as ${travels.slice(0, 20)} when named ${filename.slice(0, 20)}`, async () => {
        const { attachments } = await contentOf({ attachments: [{ ...file, filename }] })
        assert.equal(attachments[0]?.filename, travels)
      })
    }

    test('may be a thousand, and not one more', async () => {
      const many = Array.from({ length: 1_000 }, (_, n) => ({ ...file, filename: `${n}.txt` }))
      assert.equal((await contentOf({ attachments: many })).attachments.length, 1_000)
      const answer = await api.send({ ...minimal, attachments: [...many, file] })
      assertJsonError(answer, 422, 'validation_error', /`attachments`.*1000 files, but 1001 were given/)
    })

    test('are found by a content id in brackets or without', async () => {
      for (const [given, id] of [
        ['<logo>', 'logo'],
        ['logo', 'logo'],
        ['<<logo>>', '<<logo>>'],
        ['<logo', '<logo'],
      ]) {
        const { attachments } = await contentOf({ attachments: [{ ...file, content_id: given }] })
        assert.equal(attachments[0]?.contentId, id)
      }
    })
  })
})
