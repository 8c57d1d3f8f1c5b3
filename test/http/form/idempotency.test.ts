/** `Idempotency-Key` in the form dialect: a repeated form counts as the same, even if its octets differ. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertFormError, basic, call, emailCount, type Part, type Reply } from '../requests.ts'

const MIME = 'From: a@acme.example\r\nTo: b@x.test\r\nSubject: s\r\n\r\nhello\r\n'
const FIELDS: [string, string][] = [
  ['from', 'a@acme.example'],
  ['to', 'b@x.test'],
  ['text', 'hello'],
]

describe('Idempotency-Key of a form', () => {
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

  /** As clients send it: with a boundary that is another one each time. */
  function send(
    key: string,
    fields: [string, string | File][] = FIELDS,
    path = 'messages',
    { domain = 'acme.example', token = api.token } = {},
  ): Promise<Reply> {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    return call(`${service.url}/v3/${domain}/${path}`, {
      method: 'POST',
      headers: { authorization: basic(token), 'idempotency-key': key },
      body: form,
    })
  }

  const mime = (text = MIME): [string, string | File][] => [
    ['to', 'b@x.test'],
    ['message', new File([text], 'message.mime')],
  ]

  for (const [path, fields] of [
    ['messages', FIELDS],
    ['messages.mime', mime()],
  ] as const) {
    test(`${path}: the same key and form, 20 at once: the same answer, one email`, async () => {
      const before = await emailCount(service, companyId)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send(`once ${path}`, [...fields], path)),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(await emailCount(service, companyId), before + 1)
    })
  }

  test('the same form urlencoded is the same form', async () => {
    const first = await send('coding')
    const again = await call(`${service.url}/v3/acme.example/messages`, {
      method: 'POST',
      headers: { authorization: basic(api.token), 'idempotency-key': 'coding' },
      body: new URLSearchParams(FIELDS),
    })
    assert.equal(again.status, 200)
    assert.equal(again.text, first.text)
  })

  const file = (last: number, name = 'f.bin', type = 'application/x-a') => {
    const content = new Uint8Array(3_000_000)
    content[content.length - 1] = last
    return new File([content], name, { type })
  }
  const others: [string, [string, string | File][], string][] = [
    ['another text', [...FIELDS.slice(0, 2), ['text', 'hello!']], 'messages'],
    ['a text that ends where another field begins', [...FIELDS, ['subject', 's']], 'messages'],
    ['one more recipient', [...FIELDS, ['to', 'c@x.test']], 'messages'],
    ['a header', [...FIELDS, ['h:X-A', '1']], 'messages'],
    ['a variable', [...FIELDS, ['v:a', '1']], 'messages'],
    ['test mode', [...FIELDS, ['o:testmode', 'yes']], 'messages'],
    ['recipient variables', [...FIELDS, ['recipient-variables', '{"b@x.test":{"a":1}}']], 'messages'],
    ['half of a surrogate pair', [...FIELDS, ['v:a', JSON.stringify('\ud83d')]], 'messages'],
    ['another endpoint', mime(), 'messages.mime'],
  ]
  for (const [name, fields, path] of others) {
    test(`the same key with ${name}: 409, nothing sent`, async () => {
      assert.equal((await send(`other ${name}`)).status, 200)
      const before = await emailCount(service, companyId)
      const reply = await send(`other ${name}`, fields, path)
      assertFormError(reply, 409, 'This idempotency key was used with another request body')
      assert.equal(await emailCount(service, companyId), before)
    })
  }

  for (const [name, other] of [
    ['the last octet', file(2)],
    ['the name', file(1, 'g.bin')],
    ['the type', file(1, 'f.bin', 'application/x-b')],
  ] as const) {
    test(`the same key with another file, by ${name}: 409`, async () => {
      const key = `file ${name}`
      assert.equal((await send(key, [...FIELDS, ['attachment', file(1)]])).status, 200)
      assert.equal((await send(key, [...FIELDS, ['attachment', file(1)]])).status, 200)
      assertFormError(await send(key, [...FIELDS, ['attachment', other]]), 409)
    })
  }

  test('the same key with another ready message: 409', async () => {
    assert.equal((await send('ready', mime(), 'messages.mime')).status, 200)
    assertFormError(await send('ready', mime(`${MIME}!`), 'messages.mime'), 409)
  })

  test('a key of the JSON dialect cannot be reused here, and the other way round', async () => {
    const email = { from: 'a@acme.example', to: 'b@x.test', text: 'hello' }
    assert.equal((await api.send(email, { 'idempotency-key': 'from JSON' })).status, 200)
    assertFormError(await send('from JSON'), 409)
    assert.equal((await send('from a form')).status, 200)
    assert.equal((await api.send(email, { 'idempotency-key': 'from a form' })).status, 409)
  })

  test('a refused request does not use up its key', async () => {
    assertFormError(await send('refused', FIELDS.slice(0, 2)), 400)
    assert.equal((await send('refused')).status, 200)
  })

  test('the key of another company is another key', async () => {
    const { key } = await service.tenant('other.example')
    assert.equal((await send('shared')).status, 200)
    const fields: [string, string][] = [['from', 'a@other.example'], ...FIELDS.slice(1)]
    const reply = await send('shared', fields, 'messages', { domain: 'other.example', token: key.token })
    assert.equal(reply.status, 200)
  })

  test('1 to 256 printable ASCII characters; anything else is refused before the body is read', async () => {
    assert.equal((await send('k'.repeat(256))).status, 200)
    for (const key of ['', 'k'.repeat(257), 'clé', 'a\tb']) {
      assertFormError(await send(key), 400, /^Idempotency keys, if present, must have between 1 and 256/)
    }
  })

  test('without a key the same form is another email each time', async () => {
    const before = await emailCount(service, companyId)
    const parts: Part[] = FIELDS.map(([name, value]) => ({ name, value }))
    for (let n = 0; n < 2; n++) assert.equal((await api.multipart('acme.example', parts)).status, 200)
    assert.equal(await emailCount(service, companyId), before + 2)
  })
})
