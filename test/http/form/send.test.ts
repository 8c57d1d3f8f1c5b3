/** `POST /v3/{domain}/messages`: the accepted input, rule by rule, and how it is sent. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { textOf } from '../../../src/mail/body.ts'
import type { ClaimedEmail, StoredEmail } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, basic, call, newestEmail, type Part, type Reply } from '../requests.ts'

type Fields = [name: string, value: string][]

describe('POST /v3/{domain}/messages accepts', () => {
  let service: Service
  let api: Api
  let companyId: string
  const minimal: Fields = [
    ['from', 'Ann <ann@acme.example>'],
    ['to', 'bob@x.test'],
    ['text', 'hello'],
  ]

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  function assertQueued(reply: Reply): void {
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(Object.keys(reply.body).sort(), ['id', 'message'])
    assert.equal(reply.body.message, 'Queued. Thank you.')
  }
  async function work(): Promise<ClaimedEmail> {
    const found = await service.store.readWork(await newestEmail(service, companyId))
    assert.ok(found)
    return found
  }
  async function stored(): Promise<StoredEmail> {
    const found = await service.store.readEmail(await newestEmail(service, companyId))
    assert.ok(found)
    return found
  }
  async function sent(...fields: Fields): Promise<ClaimedEmail> {
    assertQueued(await api.form('acme.example', [...minimal, ...fields]))
    return work()
  }
  async function sentParts(...parts: Part[]): Promise<ClaimedEmail> {
    const all = [...minimal.map(([name, value]) => ({ name, value })), ...parts]
    assertQueued(await api.multipart('acme.example', all))
    return work()
  }
  const addresses = (email: ClaimedEmail) => email.recipients.map(({ address }) => address)

  test('success is 200 with exactly id, in angle brackets, and the message', async () => {
    const reply = await api.form('acme.example', minimal)
    assertQueued(reply)
    assert.match(String(reply.body.id), /^<[^<>@\s]+@acme\.example>$/)
    assert.equal((await stored()).content.messageId, reply.body.id)
  })

  test('multipart and urlencoded mean the same', async () => {
    const one = await sent(['subject', 'ü & +'], ['h:X-A', '1'])
    const other = await sentParts({ name: 'subject', value: 'ü & +' }, { name: 'h:X-A', value: '1' })
    assert.equal(one.content.subject, 'ü & +')
    for (const key of ['from', 'to', 'subject', 'text', 'headers'] as const) {
      assert.deepEqual(other.content[key], one.content[key], key)
    }
  })

  test('repeated fields, comma lists and bracketed names mean the same', async () => {
    const expected = ['bob@x.test', 'a@x.test', 'b@y.test']
    for (const fields of [
      [
        ['to', 'a@x.test'],
        ['to', 'b@y.test'],
      ],
      [['to', 'a@x.test, b@y.test']],
      [
        ['to[]', 'a@x.test'],
        ['to[]', 'b@y.test'],
      ],
      [
        ['to[0]', 'a@x.test'],
        ['to[1]', 'b@y.test'],
      ],
    ] as Fields[]) {
      assert.deepEqual(addresses(await sent(...fields)), expected, JSON.stringify(fields))
    }
  })

  test('every field may have a bracketed name', async () => {
    const bracketed: Fields = [
      ['from[]', 'ann@acme.example'],
      ['to[]', 'bob@x.test'],
      ['subject[]', 's'],
      ['html[]', '<p>h</p>'],
      ['text[]', 't'],
      ['cc[]', 'c@x.test'],
      ['bcc[]', 'd@x.test'],
      ['o:tag[]', 'one'],
    ]
    assertQueued(await api.form('acme.example', bracketed))
    const { content, recipients } = await work()
    assert.deepEqual([content.subject, content.html, content.text], ['s', '<p>h</p>', 't'])
    assert.equal(recipients.length, 3)
    assert.deepEqual((await stored()).tags, [{ name: 'tag', value: 'one' }])
  })

  test('quoted display names with commas stay together', async () => {
    assert.deepEqual(addresses(await sent(['to', '"Doe, Jane" <jane@x.test>, Bob <b@y.test>'])), [
      'bob@x.test',
      'jane@x.test',
      'b@y.test',
    ])
  })

  test('the message does not name bcc recipients', async () => {
    const email = await sent(['cc', 'c@x.test'], ['bcc', 'secret@x.test'])
    assert.deepEqual(addresses(email), ['bob@x.test', 'c@x.test', 'secret@x.test'])
    assert.doesNotMatch(JSON.stringify(email.content), /secret/)
  })

  test('empty text and html count as absent', async () => {
    assert.equal((await sent(['html', ''])).content.html, undefined)
    assertQueued(
      await api.form('acme.example', [
        ['from', 'ann@acme.example'],
        ['to', 'b@x.test'],
        ['text', ''],
        ['html', '<p>Hi</p>'],
      ]),
    )
    // An empty field is no opting out: the text is derived.
    assert.match(textOf((await work()).content.text ?? ''), /Hi/)
  })

  test('a missing subject is an empty one', async () => {
    assert.equal((await sent()).content.subject, '')
  })

  test('h:Reply-To', async () => {
    assert.deepEqual((await sent(['h:Reply-To', 'Help <r@x.test>'])).content.replyTo, ['Help <r@x.test>'])
    assert.deepEqual((await sent(['h:reply-to', 'r@x.test'])).content.replyTo, ['r@x.test'])
  })

  test('h: fields become headers; several of one name all count', async () => {
    const { content } = await sent(
      ['h:X-A', '1'],
      ['h:X-B', '2'],
      ['h:X-A', '3'],
      ['h:Sender', 's@acme.example'],
    )
    assert.deepEqual(content.headers, [
      ['X-A', '1'],
      ['X-B', '2'],
      ['X-A', '3'],
      ['Sender', 's@acme.example'],
    ])
  })

  test('structural and reserved h: names are ignored whatever their case', async () => {
    const { content } = await sent(
      ['h:content-type', 'multipart/alternative'],
      ['h:MIME-Version', '2.0'],
      ['h:Content-Transfer-Encoding', '7bit'],
      ['h:From', 'evil@evil.test'],
      ['h:To', 'evil@evil.test'],
      ['h:Bcc', 'evil@evil.test'],
      ['h:Subject', 'evil'],
      ['h:Received', 'evil'],
      ['h:DKIM-Signature', 'evil'],
      ['h:X-Good', '1'],
    )
    assert.deepEqual(content.headers, [['X-Good', '1']])
  })

  for (const name of ['h:Message-Id', 'h:message-id', 'h:MESSAGE-ID']) {
    test(`${name} of the form <x@y> is used and echoed`, async () => {
      const id = `<${name.length}.${Date.now()}@acme.example>`
      const reply = await api.form('acme.example', [...minimal, [name, id]])
      assertQueued(reply)
      assert.equal(reply.body.id, id)
      assert.equal((await stored()).content.messageId, id)
    })
  }

  test('h:Message-Id of another form is replaced', async () => {
    for (const id of ['abc@acme.example', '<abc>', 'nonsense', '<a@b> <c@d>', '']) {
      const reply = await api.form('acme.example', [...minimal, ['h:Message-Id', id]])
      assertQueued(reply)
      assert.match(String(reply.body.id), /^<[^<>@\s]+@acme\.example>$/)
      assert.notEqual(reply.body.id, id)
    }
  })

  test('v: fields are kept as variables, whatever their names', async () => {
    await sent(['v:my-id', '7'], ['v:data', '{"a":1}'], ['v:__proto__', 'x'], ['v:a[b]', 'c'])
    const { variables } = await stored()
    assert.deepEqual(Object.entries(variables).sort(), [
      ['__proto__', 'x'],
      ['a[b]', 'c'],
      ['data', '{"a":1}'],
      ['my-id', '7'],
    ])
  })

  test('o:tag, repeated, becomes tags', async () => {
    await sent(['o:tag', 'one'], ['o:tag', 'two'])
    assert.deepEqual((await stored()).tags, [
      { name: 'tag', value: 'one' },
      { name: 'tag', value: 'two' },
    ])
  })

  for (const [value, expected] of [
    ['yes', true],
    ['true', true],
    ['True', true],
    ['1', true],
    ['ON', true],
    ['0', false],
    ['Off', false],
    ['no', false],
    ['false', false],
    ['', false],
  ] as const) {
    test(`o:testmode=${value} is ${expected ? 'a rehearsal' : 'none'}`, async () => {
      await sent(['o:testmode', value])
      assert.equal((await stored()).testMode, expected)
    })
  }

  test('o:deliverytime as RFC 2822 date in every spelling of the zone, or as Unix seconds', async () => {
    const at = Math.floor(Date.now() / 1000) * 1000 + 7_200_000
    const gmt = new Date(at).toUTCString()
    const east = new Date(at + 90 * 60_000).toUTCString().replace('GMT', '+0130')
    for (const time of [
      gmt,
      gmt.replace('GMT', '+0000'),
      gmt.replace('GMT', 'UTC'),
      gmt.slice(5),
      east,
      `${at / 1000}`,
    ]) {
      await sent(['o:deliverytime', time])
      assert.equal((await stored()).scheduledAt, at, time)
    }
  })

  test('recipient-variables make one message for each recipient', async () => {
    const email = await sent(
      ['to', 'jane@x.test'],
      ['recipient-variables', '{"bob@x.test":{"n":"B","i":1},"jane@x.test":{"n":"J","i":null}}'],
    )
    assert.equal(email.individual, true)
    assert.deepEqual(
      email.recipients.map(({ variables }) => variables),
      [
        { n: 'B', i: '1' },
        { n: 'J', i: '' },
      ],
    )
  })

  for (const empty of ['{}', '[]']) {
    test(`recipient-variables ${empty} switch batch sending on as well`, async () => {
      assert.equal((await sent(['recipient-variables', empty])).individual, true)
    })
  }

  for (const [options, expected] of [
    [[['o:require-tls', 'yes']], 'verified'],
    [
      [
        ['o:require-tls', 'True'],
        ['o:skip-verification', 'yes'],
      ],
      'required',
    ],
    [[['h:X-Mailgun-Require-TLS', 'yes']], 'verified'],
    [[['o:skip-verification', 'yes']], null],
    [[['o:require-tls', 'no']], null],
  ] as const) {
    test(`${options.map((option) => option.join('=')).join(', ')}: ${expected} TLS`, async () => {
      await sent(...options.map(([name, value]): [string, string] => [name, value]))
      assert.equal((await stored()).tls, expected)
    })
  }

  for (const [window, milliseconds] of [
    ['45m', 2_700_000],
    ['1H30m', 5_400_000],
    ['2d1s', 172_801_000],
  ] as const) {
    test(`o:deliver-within=${window} ends the retries`, async () => {
      await sent(['o:deliver-within', window])
      const { giveUpAt, createdAt } = await stored()
      assert.equal(giveUpAt! - createdAt, milliseconds)
    })
  }

  test('options for tracking, options that match the default, and unknown ones do no harm', async () => {
    await sent(
      ['o:tracking', 'yes'],
      ['o:tracking-clicks', 'htmlonly'],
      ['o:tracking-opens', 'true'],
      ['o:dkim', 'yes'],
      ['o:skip-verification', 'true'],
      ['o:require-tls', 'no'],
      ['o:native-send', 'yes'],
      ['o:campaign', 'x'],
      ['o:suppress-headers', 'all'],
      ['o:unheard-of', 'x'],
      ['t:version', 'x'],
      ['t:variables', 'not json'],
      ['t:text', 'yes'],
      ['template', ''],
      ['unheard', 'of'],
    )
  })

  test('attachment and inline files, with plain and with indexed names', async () => {
    const { content } = await sentParts(
      { name: 'html', value: '<img src="cid:logo.png">' },
      {
        name: 'attachment[0]',
        value: new Uint8Array([0, 255, 13, 10]),
        filename: 'a.pdf',
        type: 'application/pdf',
      },
      { name: 'attachment', value: 'two', filename: 'b.csv' },
      { name: 'inline[0]', value: 'png', filename: 'logo.png', type: 'image/png' },
    )
    const [pdf, csv, logo] = content.attachments
    assert.equal(content.attachments.length, 3)
    assert.deepEqual(
      [pdf?.filename, pdf?.contentType, pdf?.disposition],
      ['a.pdf', 'application/pdf', 'attachment'],
    )
    assert.deepEqual([...(pdf?.content ?? [])], [0, 255, 13, 10])
    assert.deepEqual([csv?.filename, csv?.contentType], ['b.csv', 'text/csv'])
    assert.deepEqual(
      [logo?.disposition, logo?.contentId, logo?.contentType],
      ['inline', 'logo.png', 'image/png'],
    )
  })

  test('a file without a type and a known extension is text when its content is text', async () => {
    const { content } = await sentParts(
      { name: 'attachment', value: 'hi', filename: 'README' },
      { name: 'attachment', value: new Uint8Array([0xff, 0xfe]), filename: 'data' },
    )
    assert.deepEqual(
      content.attachments.map(({ contentType }) => contentType),
      ['text/plain', 'application/octet-stream'],
    )
  })

  test('file names in UTF-8 and in RFC 2231 encoding; only the last component of a path', async () => {
    const { content } = await sentParts(
      { name: 'attachment', value: 'x', filename: 'ü ñ.txt' },
      {
        name: 'x',
        value: 'x',
        disposition: 'form-data; name="attachment"; filename*=UTF-8\'\'%C3%BC%20b.txt',
      },
      { name: 'attachment', value: 'x', filename: '../../etc/passwd.txt' },
      { name: 'attachment', value: 'x', filename: 'C:\\\\temp\\\\c.txt' },
    )
    assert.deepEqual(
      content.attachments.map(({ filename }) => filename),
      ['ü ñ.txt', 'ü b.txt', 'passwd.txt', 'c.txt'],
    )
  })

  test('files come before, between and after the fields', async () => {
    const parts: Part[] = [
      { name: 'attachment', value: 'x', filename: 'a.txt' },
      ...minimal.map(([name, value]) => ({ name, value })),
      { name: 'attachment', value: 'y', filename: 'b.txt' },
    ]
    assertQueued(await api.multipart('acme.example', parts))
    assert.equal((await work()).content.attachments.length, 2)
  })

  test('a file field without a chosen file, as browsers send it, is ignored', async () => {
    const { content } = await sentParts({ name: 'upload', value: '', filename: '' })
    assert.deepEqual(content.attachments, [])
  })

  test('names of fields, options and prefixes in any case', async () => {
    const { content, recipients } = await sentParts(
      { name: 'Cc', value: 'c@x.test' },
      { name: 'BCC[]', value: 'd@x.test' },
      { name: 'O:TAG', value: 'one' },
      { name: 'O:TestMode', value: 'yes' },
      { name: 'V:Id', value: '7' },
      { name: 'H:X-A', value: '1' },
      { name: 'Attachment[0]', value: 'x', filename: 'a.txt' },
    )
    assert.equal(recipients.length, 3)
    assert.deepEqual(content.headers, [['X-A', '1']])
    assert.equal(content.attachments.length, 1)
    const email = await stored()
    assert.deepEqual(email.tags, [{ name: 'tag', value: 'one' }])
    assert.deepEqual({ ...email.variables }, { Id: '7' })
    assert.equal(email.testMode, true)
  })

  test('h:X-Mailgun-* fields mean the same as their o: fields, yield to them, and are not sent', async () => {
    const at = Math.floor(Date.now() / 1000) + 7_200
    const email = await sent(
      ['h:X-Mailgun-Tag', 'two'],
      ['o:tag', 'one'],
      ['h:x-mailgun-drop-message', 'yes'],
      ['h:X-Mailgun-Deliver-By', String(at)],
      ['h:X-Mailgun-Variables', '{"a":1,"b":null,"c":{"d":2}}'],
      ['v:a', 'beside'],
      ['h:X-Mailgun-Recipient-Variables', '{"bob@x.test":{"n":null}}'],
      ['h:X-Mailgun-Dkim', 'no'],
      ['o:dkim', 'yes'],
      ['h:X-Mailgun-Unheard-Of', 'x'],
      ['h:X-Mailer', 'kept'],
    )
    assert.deepEqual(email.content.headers, [['X-Mailer', 'kept']])
    assert.deepEqual(
      email.recipients.map(({ variables }) => variables),
      [{ n: '' }],
    )
    const { tags, variables, testMode, scheduledAt } = await stored()
    assert.deepEqual(
      tags.map(({ value }) => value),
      ['one', 'two'],
    )
    assert.deepEqual({ ...variables }, { a: 'beside', b: '', c: '{"d":2}' })
    assert.deepEqual([testMode, scheduledAt], [true, at * 1000])
  })

  for (const [type, body] of [
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 'caf\xe9'],
    ['application/x-www-form-urlencoded; charset="ISO-8859-1"', 'caf%E9'],
    ['application/x-www-form-urlencoded', 'caf%C3%A9'],
    ['application/x-www-form-urlencoded; charset=UTF-8', 'caf\xc3\xa9'],
  ] as const) {
    test(`${body} in ${type} is café`, async () => {
      const reply = await call(`${api.url}/v3/acme.example/messages`, {
        method: 'POST',
        headers: { authorization: basic(api.token), 'content-type': type },
        body: Buffer.from(`from=ann@acme.example&to=b@x.test&text=a+%2B+b&subject=${body}`, 'latin1'),
      })
      assertQueued(reply)
      const { content } = await work()
      assert.deepEqual([content.subject, content.text], ['café', 'a + b'])
    })
  }

  test('the domain in the path is the same in any case, in Unicode and in punycode', async () => {
    const { key } = await service.tenant('xn--bcher-kva.example')
    const idn = new Api(api.url, key.token)
    for (const domain of ['xn--bcher-kva.example', 'b%C3%BCcher.example', 'XN--BCHER-KVA.EXAMPLE']) {
      const reply = await idn.form(domain, [
        ['from', 'a@bücher.example'],
        ['to', 'b@x.test'],
        ['text', 't'],
      ])
      assertQueued(reply)
    }
  })

  test('duplicate slashes in the path are collapsed', async () => {
    const reply = await call(`${api.url}//v3//acme.example/messages`, {
      method: 'POST',
      headers: { authorization: basic(api.token) },
      body: new URLSearchParams(minimal),
    })
    assertQueued(reply)
  })
})
