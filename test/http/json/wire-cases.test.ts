/** Behaviour that clients of the original rely on, octet by octet: one case each, in the order in which a client meets them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { assertJsonError, call, emailCount, RawConnection, type Reply } from '../requests.ts'

/** Clients for .NET and Rust read no other. */
const LAST_EVENTS = [
  ...['queued', 'scheduled', 'sent', 'delivered', 'delivery_delayed', 'bounced', 'complained'],
  ...['opened', 'clicked', 'failed', 'suppressed', 'canceled'],
]
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('on the wire', () => {
  let service: Service
  let key: string
  let sendingKey: string
  let companyId: string
  const letter = { from: 'A <a@ok.test>', to: 'u@r.test', subject: 's', text: 't' }

  before(async () => {
    service = await startService({ rateLimit: 1_000 })
    const tenant = await service.tenant('ok.test')
    key = tenant.key.token
    companyId = tenant.company.id
    sendingKey = (await service.key(tenant.company.id, { scopes: ['sending'] })).token
  })
  after(() => service.close())

  function ask(
    method: string,
    path: string,
    body?: unknown,
    { token = key, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    return call(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }
  const post = (body: unknown, more?: Parameters<typeof ask>[3]) => ask('POST', '/emails', body, more)
  async function sent(body: unknown): Promise<string> {
    const reply = await post(body)
    assert.equal(reply.status, 200, reply.text)
    return String(reply.body.id)
  }

  test('an email is answered with its id alone, and read back in the shapes that every client can read', async () => {
    const reply = await post(letter)
    assert.equal(reply.status, 200)
    assert.deepEqual(Object.keys(reply.body), ['id'])
    assert.match(String(reply.body.id), UUID)
    const { body, status } = await ask('GET', `/emails/${reply.body.id}`)
    assert.equal(status, 200)
    assert.equal(body.object, 'email')
    assert.deepEqual(body.to, ['u@r.test'])
    for (const field of ['cc', 'bcc']) assert.ok(Array.isArray(body[field]), field)
    assert.ok(body.reply_to === null || Array.isArray(body.reply_to))
    assert.equal(body.scheduled_at, null)
    assert.ok(LAST_EVENTS.includes(String(body.last_event)))
    // No HTML was sent: a text, where the original has null.
    assert.deepEqual([body.html, body.text], ['', 't'])
    assert.ok(!Number.isNaN(Date.parse(String(body.created_at))))
  })

  test('a missing or invalid field is named in the words that clients look for', async () => {
    // The original asks for a subject; mail may do without.
    await sent({ ...letter, subject: undefined })
    for (const field of ['to', 'from']) {
      const reply = await post({ ...letter, [field]: undefined })
      assertJsonError(reply, 422, 'missing_required_field', `Missing \`${field}\` field.`)
    }
    const empty = await post({ ...letter, text: undefined })
    assertJsonError(empty, 422, 'validation_error', 'Missing `html` or `text` field.')
    const address = await post({ ...letter, to: 'not-an-address' })
    assertJsonError(address, 422, 'validation_error', /^Invalid `to` field\./)
    const tagged = (value: string) => post({ ...letter, tags: [{ name: 'a', value }] })
    assertJsonError(await tagged('a b'), 422, 'validation_error', /^Tags should only contain ASCII letters/)
    assertJsonError(await tagged('x'.repeat(257)), 422, 'validation_error')
    assert.equal((await tagged('x'.repeat(256))).status, 200)
    const crowd = Array.from({ length: 1_001 }, (_, index) => `u${index}@r.test`)
    assertJsonError(await post({ ...letter, to: crowd }), 422, 'validation_error')
    assert.equal((await post({ ...letter, to: crowd.slice(0, 50) })).status, 200)
  })

  test('keys: none, an invalid one, and one that may only send', async () => {
    const none = await call(`${service.url}/emails`, { method: 'POST', body: JSON.stringify(letter) })
    assertJsonError(none, 401, 'missing_api_key')
    assertJsonError(await post(letter, { token: 're_wrong' }), 401, 'invalid_api_key', 'API key is invalid')
    assert.equal((await post(letter, { token: sendingKey })).status, 200)
    const reads = (path: string) => ask('GET', path, undefined, { token: sendingKey })
    assertJsonError(await reads('/emails'), 403, 'restricted_api_key', /lacks the `reading` scope/)
    // What another key has sent: as if there were none.
    assertJsonError(await reads(`/emails/${await sent(letter)}`), 404, 'not_found', 'Email not found')
  })

  test('a repeated request with one key is one email, a changed one a conflict, and a batch another request', async () => {
    const keyed = { headers: { 'idempotency-key': 'k1' } }
    const before = await emailCount(service, companyId)
    const first = await post(letter, keyed)
    assert.deepEqual((await post(letter, keyed)).body, first.body)
    assert.equal(await emailCount(service, companyId), before + 1)
    assertJsonError(await post({ ...letter, subject: 'x' }, keyed), 409, 'invalid_idempotent_request')
    assert.equal((await ask('POST', '/emails/batch', [letter], keyed)).status, 200)
    const long = { headers: { 'idempotency-key': 'k'.repeat(257) } }
    assertJsonError(await post(letter, long), 400, 'invalid_idempotency_key')
  })

  test('files in every encoding that clients write', async () => {
    for (const content of ['aGk=', [104, 105], { type: 'Buffer', data: [104, 105] }]) {
      for (const type of ['content_type', 'contentType']) {
        const file = { filename: 'a.txt', content, [type]: 'text/x-test' }
        const work = await service.store.readWork(await sent({ ...letter, attachments: [file] }))
        const [attachment] = work!.content.attachments
        assert.equal(Buffer.from(attachment!.content).toString(), 'hi')
        assert.equal(attachment!.contentType, 'text/x-test')
      }
    }
    const bare = await post({ ...letter, attachments: [{ filename: 'x' }] })
    assertJsonError(bare, 422, 'invalid_attachment', /either a `content` or `path`/)
  })

  test('needless fields that the transports of frameworks send', async () => {
    const nothing = { cc: [], bcc: [], reply_to: [], attachments: [], tags: [], headers: {}, html: null }
    await sent({ ...letter, ...nothing, topic_id: null, created_at: 'now' })
  })

  test('batches', async () => {
    const batch = (body: unknown, mode?: string) =>
      ask(
        'POST',
        '/emails/batch',
        body,
        mode === undefined ? {} : { headers: { 'x-batch-validation': mode } },
      )
    const both = await batch([letter, letter])
    assert.equal(both.status, 200)
    const data = both.body.data as { id: string }[]
    assert.deepEqual(
      data.map((item) => Object.keys(item)),
      [['id'], ['id']],
    )
    const bad = { ...letter, to: 'bad' }
    for (const mode of [undefined, 'strict']) {
      assertJsonError(await batch([letter, bad], mode), 422, 'validation_error')
    }
    const permissive = await batch([letter, bad], 'permissive')
    assert.equal((permissive.body.data as unknown[]).length, 1)
    const [error] = permissive.body.errors as Record<string, unknown>[]
    assert.deepEqual([Object.keys(error!), error!.index], [['index', 'message'], 1])
    assertJsonError(await batch(Array.from({ length: 101 }, () => letter)), 422, 'validation_error')
  })

  test('an email is scheduled, rescheduled, and canceled by a request with a type and no body', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const id = await sent({ ...letter, scheduled_at: at(1) })
    const shown = async () => (await ask('GET', `/emails/${id}`)).body.last_event
    assert.equal(await shown(), 'scheduled')
    const done = { object: 'email', id }
    assert.deepEqual((await ask('PATCH', `/emails/${id}`, { id, scheduled_at: at(2) })).body, done)
    const connection = new RawConnection(service.url)
    connection.write(
      `POST /emails/${id}/cancel HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
    const answer = await connection.closed()
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.ok(answer.endsWith(JSON.stringify(done)), answer)
    assert.equal(await shown(), 'canceled')
  })

  test('a GET with the body `{}`, and double slashes after a base URL', async () => {
    const id = await sent(letter)
    const connection = new RawConnection(service.url)
    connection.write(
      `GET //emails/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    )
    assert.match(await connection.closed(), /^HTTP\/1\.1 200 [\s\S]*"object":"email"/)
  })

  test('errors are JSON, never empty, and repeat their status in the body', async () => {
    const unknown = '0198f0c0-0000-7000-8000-000000000000'
    assertJsonError(await ask('GET', `/emails/${unknown}`), 404, 'not_found', 'Email not found')
    assertJsonError(await ask('POST', `/emails/${unknown}/cancel`), 404, 'not_found', 'Email not found')
    assertJsonError(await ask('GET', '/no/such/thing'), 404, 'not_found')
    assertJsonError(await ask('PUT', '/emails', letter), 405, 'method_not_allowed')
    assertJsonError(await ask('DELETE', '/emails/batch'), 405, 'method_not_allowed')
    assertJsonError(await post('{'), 400, 'validation_error')
  })

  test('every answer has the rate limit in plain integers, since some clients read it from each', async () => {
    const id = await sent(letter)
    for (const { headers } of [
      await post(letter),
      await ask('GET', '/emails'),
      await ask('GET', `/emails/${id}`),
      await ask('GET', `/emails/${id}/attachments`),
      await ask('POST', '/emails/batch', [letter]),
      await post('{'),
      await post(letter, { token: 're_wrong' }),
    ]) {
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
        assert.match(headers.get(name) ?? '', /^\d+$/, name)
      }
    }
  })
})
