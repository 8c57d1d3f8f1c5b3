/** `POST /emails`: the accepted input, rule by rule, and how it is sent. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { textOf } from '../../../src/mail/body.ts'
import type { ClaimedEmail } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, call } from '../requests.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('POST /emails accepts', () => {
  let service: Service
  let api: Api
  const minimal = { from: 'Ann <ann@acme.example>', to: 'bob@x.test', text: 'hello' }

  before(async () => {
    service = await startService()
    const { key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  async function accepted(body: object): Promise<ClaimedEmail> {
    const work = await service.store.readWork(await api.accepted(body))
    assert.ok(work)
    return work
  }
  const addresses = (work: ClaimedEmail) => work.recipients.map(({ address }) => address).sort()

  test('success is 200, JSON, exactly {"id"} with a UUIDv7', async () => {
    const reply = await api.send(minimal)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(Object.keys(reply.body), ['id'])
    assert.match(String(reply.body.id), UUID_V7)
  })

  test('the accepted email is readable at once under its id, as sent', async () => {
    const reply = await api.get(`/emails/${await api.accepted(minimal)}`)
    assert.equal(reply.status, 200)
    assert.equal(reply.body.subject, '')
  })

  test('duplicate slashes in the path are collapsed', async () => {
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(minimal),
    }
    for (const path of ['//emails', '///emails', '/emails/', '/emails?x=a//b']) {
      const reply = await call(api.url + path, init)
      assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    }
  })

  test('POST /email, which the oldest clients use, is the same', async () => {
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(minimal),
    }
    const reply = await call(`${api.url}/email`, init)
    assert.equal(reply.status, 200, reply.text)
    assert.match(String(reply.body.id), UUID_V7)
    assert.equal((await call(`${api.url}/email`, { ...init, method: 'PUT' })).body.name, 'method_not_allowed')
  })

  test('unknown keys are ignored', async () => {
    await accepted({ ...minimal, topic_id: null, created_at: 'x', unheard: { of: [1] }, __proto__x: 1 })
  })

  for (const [what, nothing] of [
    ['null', null],
    ['an empty array', []],
  ] as const) {
    test(`${what} for an optional field counts as absent`, async () => {
      const { content, recipients } = await accepted({
        ...minimal,
        subject: nothing,
        html: nothing,
        cc: nothing,
        bcc: nothing,
        reply_to: nothing,
        headers: nothing,
        attachments: nothing,
        tags: nothing,
        scheduled_at: null,
        template: null,
      })
      assert.equal(recipients.length, 1)
      assert.deepEqual(content.replyTo, [])
      assert.equal(content.html, undefined)
    })
  }

  test('to, cc, bcc and reply_to are a string or an array of strings', async () => {
    const work = await accepted({
      ...minimal,
      to: ['a@x.test', 'b@x.test'],
      cc: 'c@x.test',
      bcc: ['d@x.test'],
      reply_to: ['r@x.test', 's@x.test'],
    })
    assert.deepEqual(addresses(work), ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'])
    assert.deepEqual(work.content.replyTo, ['r@x.test', 's@x.test'])
  })

  test('one string holds several comma-separated addresses with quoted display names', async () => {
    const work = await accepted({ ...minimal, to: '"Doe, Jane" <jane@x.test>, b@y.test' })
    assert.deepEqual(addresses(work), ['b@y.test', 'jane@x.test'])
    assert.deepEqual(work.content.to, ['"Doe, Jane" <jane@x.test>', 'b@y.test'])
  })

  test('an address named more than once gets one copy', async () => {
    const work = await accepted({ ...minimal, to: ['a@x.test', 'a@X.TEST'], cc: 'a@x.test', bcc: 'a@x.test' })
    assert.deepEqual(addresses(work), ['a@x.test'])
  })

  test('bcc recipients are in the envelope and not in the message', async () => {
    const { content, recipients } = await accepted({ ...minimal, bcc: 'secret@x.test' })
    assert.deepEqual(
      recipients.map(({ address }) => address),
      ['bob@x.test', 'secret@x.test'],
    )
    assert.doesNotMatch(JSON.stringify(content), /secret/)
  })

  test('text that is omitted is derived from html', async () => {
    const { content } = await accepted({
      ...minimal,
      text: null,
      html: '<p>Hello <a href="https://x.test/y">link</a></p>',
    })
    assert.match(textOf(content.text ?? ''), /Hello/)
    assert.match(textOf(content.text ?? ''), /https:\/\/x\.test\/y/)
  })

  test('text: "" turns the derivation off', async () => {
    const { content } = await accepted({ ...minimal, text: '', html: '<p>Hello</p>' })
    assert.equal(content.text, undefined)
  })

  test('html: "" with a text counts as absent', async () => {
    assert.equal((await accepted({ ...minimal, html: '' })).content.html, undefined)
  })

  test('custom headers are kept in order, reserved ones ignored whatever their case', async () => {
    const { content } = await accepted({
      ...minimal,
      subject: 'the real one',
      headers: {
        'X-One': '1',
        From: 'e@evil.test',
        TO: 'e@evil.test',
        cc: 'e@evil.test',
        Bcc: 'e@evil.test',
        Subject: 'evil',
        'Message-ID': '<evil@evil.test>',
        'Reply-To': 'e@evil.test',
        'content-type': 'text/evil',
        'MIME-Version': '6.66',
        'Content-Transfer-Encoding': 'evil',
        'Return-Path': '<e@evil.test>',
        Received: 'from evil',
        'DKIM-Signature': 'evil',
        'ARC-Seal': 'evil',
        'Authentication-Results': 'evil',
        'X-Two': '2',
      },
    })
    assert.deepEqual(content.headers, [
      ['X-One', '1'],
      ['X-Two', '2'],
    ])
    assert.equal(content.subject, 'the real one')
  })

  test('a valid custom Date is kept to replace the generated one', async () => {
    const date = 'Fri, 20 Nov 2026 10:00:00 +0000'
    const { content } = await accepted({ ...minimal, headers: { Date: date } })
    assert.deepEqual(content.headers, [['Date', date]])
  })

  test('numbers and booleans in header fields and tags count as text', async () => {
    const given = { Priority: 5, 'X-Factor': 0.5, 'X-Urgent': true, 'X-None': null }
    const tags = [
      { name: 'order', value: 4711 },
      { name: 'paid', value: false },
    ]
    const id = await api.accepted({ ...minimal, headers: given, tags })
    const work = await service.store.readWork(id)
    assert.deepEqual(work?.content.headers, [
      ['Priority', '5'],
      ['X-Factor', '0.5'],
      ['X-Urgent', 'true'],
    ])
    assert.deepEqual((await service.store.readEmail(id))?.tags, [
      { name: 'order', value: '4711' },
      { name: 'paid', value: 'false' },
    ])
  })

  test('tags are kept', async () => {
    const tags = [
      { name: 'category', value: 'confirm_email' },
      { name: 'n', value: '1' },
    ]
    const id = await api.accepted({ ...minimal, tags })
    assert.deepEqual((await service.store.readEmail(id))?.tags, tags)
  })

  test('scheduled_at, an ISO 8601 time with its zone, is when the email becomes due', async () => {
    const at = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
    const utc = new Date(at).toISOString()
    const elsewhere = `${new Date(at + 90 * 60_000).toISOString().slice(0, 19)}+01:30`
    for (const scheduled_at of [utc, elsewhere, utc.replace('T', ' ').replace('.000Z', '+00')]) {
      const reply = await api.get(`/emails/${await api.accepted({ ...minimal, scheduled_at })}`)
      assert.equal(reply.body.last_event, 'scheduled')
      assert.equal(Date.parse(String(reply.body.scheduled_at)), at, scheduled_at)
    }
  })

  test('scheduled_at may be a phrase that users of the SDKs write', async () => {
    const phrases: [phrase: string, milliseconds: number][] = [
      ['in 1 min', 60_000],
      ['in 1min', 60_000],
      ['In an hour', 3_600_000],
      ['in 2 hours and 30 minutes', 9_000_000],
      ['3 days from now', 3 * 86_400_000],
    ]
    for (const [phrase, milliseconds] of phrases) {
      const before = Date.now()
      const email = await service.store.readEmail(
        await api.accepted({ ...minimal, scheduled_at: ` ${phrase} ` }),
      )
      const from = email!.scheduledAt! - milliseconds
      assert.ok(from >= before && from <= Date.now(), `${phrase}: ${new Date(email!.scheduledAt!)}`)
    }
  })

  test('scheduled_at in the past means now', async () => {
    const id = await api.accepted({ ...minimal, scheduled_at: '2020-01-01T00:00:00Z' })
    assert.equal((await service.store.readEmail(id))?.scheduledAt, null)
  })

  test('replyTo and scheduledAt, as old clients send them, are accepted', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const id = await api.accepted({ ...minimal, replyTo: 'r@x.test', scheduledAt })
    const email = await service.store.readEmail(id)
    assert.deepEqual(email?.content.replyTo, ['r@x.test'])
    assert.equal(email?.scheduledAt, Date.parse(scheduledAt))
  })

  test('an IDN sender domain is the same in Unicode and in punycode', async () => {
    const { key } = await service.tenant('xn--bcher-kva.example')
    for (const from of ['a@bücher.example', 'a@xn--bcher-kva.example', 'a@BÜCHER.example']) {
      const reply = await new Api(api.url, key.token).send({ ...minimal, from })
      assert.equal(reply.status, 200, reply.text)
    }
  })

  test('a non-ASCII local part is accepted', async () => {
    assert.deepEqual(addresses(await accepted({ ...minimal, to: 'jürgen@x.test' })), ['jürgen@x.test'])
  })

  test('1000 recipients in to, cc and bcc together', async () => {
    const some = (count: number, label: string) =>
      Array.from({ length: count }, (_, index) => `${label}${index}@x.test`)
    const work = await accepted({
      ...minimal,
      to: some(400, 'a'),
      cc: some(300, 'b').join(', '),
      bcc: some(300, 'c'),
    })
    assert.equal(work.recipients.length, 1000)
  })

  test('a byte order mark before the body is skipped, a charset of UTF-8 accepted', async () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(minimal))])
    assert.equal((await api.send(body, { 'content-type': 'application/json; charset=UTF-8' })).status, 200)
  })

  test('the last of repeated keys counts', async () => {
    const reply = await api.send(
      '{"from":"ann@acme.example","to":"first@x.test","to":"last@x.test","text":"t"}',
    )
    const work = await service.store.readWork(String(reply.body.id))
    assert.deepEqual(work && addresses(work), ['last@x.test'])
  })

  test('__proto__ and constructor are keys like any other', async () => {
    const reply = await api.send(
      '{"__proto__":{"to":"evil@x.test","text":"evil"},"constructor":1,"from":"ann@acme.example","to":"b@x.test","html":"h","headers":{"__proto__":"v"}}',
    )
    const work = await service.store.readWork(String(reply.body.id))
    assert.deepEqual(work && addresses(work), ['b@x.test'])
    assert.deepEqual(work?.content.headers, [['__proto__', 'v']])
    assert.equal(({} as Record<string, unknown>).to, undefined)
  })

  test('a body of several megabytes is read off the main thread and arrives the same', async () => {
    const content = Buffer.alloc(3_000_000, 'postroad ')
    const work = await accepted({
      ...minimal,
      subject: 'grüße',
      attachments: [
        { filename: 'big.bin', content: content.toString('base64') },
        { filename: 'small.txt', content: 'aGk=' },
      ],
    })
    assert.equal(work.content.subject, 'grüße')
    assert.ok(content.equals(work.content.attachments[0]!.content))
    assert.equal(Buffer.from(work.content.attachments[1]!.content).toString(), 'hi')
  })
})

describe('Idempotency-Key', () => {
  let service: Service
  let api: Api
  const email = { from: 'a@acme.example', to: 'b@x.test', text: 'hello' }

  before(async () => {
    service = await startService()
    const { key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  test('the same key and body: the same answer, one email', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.send(email, { 'idempotency-key': 'k1' })),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  })

  test('the same key with another body: 409 invalid_idempotent_request', async () => {
    assert.equal((await api.send(email, { 'idempotency-key': 'k2' })).status, 200)
    const reply = await api.send({ ...email, text: 'other' }, { 'idempotency-key': 'k2' })
    assert.equal(reply.status, 409)
    assert.equal(reply.body.name, 'invalid_idempotent_request')
    assert.equal(reply.body.statusCode, 409)
  })

  test('a refused request does not use up its key', async () => {
    assert.equal((await api.send({ ...email, to: 'nonsense' }, { 'idempotency-key': 'k3' })).status, 422)
    assert.equal((await api.send(email, { 'idempotency-key': 'k3' })).status, 200)
  })

  test('the key of another company is another key', async () => {
    const { key } = await service.tenant('other.example')
    const other = await new Api(service.url, key.token).send(
      { ...email, from: 'a@other.example' },
      { 'idempotency-key': 'k1' },
    )
    assert.equal(other.status, 200)
  })

  test('1 to 256 printable ASCII characters; anything else is 400 invalid_idempotency_key', async () => {
    assert.equal((await api.send(email, { 'idempotency-key': 'k'.repeat(256) })).status, 200)
    for (const key of ['', 'k'.repeat(257), 'clé', '\x80', 'a\tb']) {
      const reply = await api.send(email, { 'idempotency-key': key })
      assert.equal(reply.status, 400)
      assert.equal(reply.body.name, 'invalid_idempotency_key')
    }
  })
})
