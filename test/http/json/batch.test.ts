/** `POST /emails/batch`: all emails or none, or only the valid ones; in one commit, and once for each idempotency key. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { textOf } from '../../../src/mail/body.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, call, emailCount, type Reply } from '../requests.ts'

describe('POST /emails/batch', () => {
  let service: Service
  let api: Api
  let companyId: string
  const email = { from: 'Ann <ann@acme.example>', to: 'bob@x.test', subject: 's', text: 'hello' }
  const wrong = { ...email, to: undefined }

  before(async () => {
    service = await startService({ maxMessageSize: 2_000_000 })
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const send = (body: unknown, headers: Record<string, string> = {}, token = api.token): Promise<Reply> =>
    call(`${api.url}/emails/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const permissive = { 'x-batch-validation': 'permissive' }
  const ids = ({ body }: Reply) => (body.data as { id: string }[]).map(({ id }) => id)
  const subjects = async (reply: Reply) =>
    Promise.all(ids(reply).map(async (id) => (await service.store.readEmail(id))?.content.subject))

  test('returns the ids in the order of the emails, and nothing else', async () => {
    const reply = await send([
      { ...email, subject: 'one' },
      { ...email, subject: 'two' },
      { ...email, subject: 'three', scheduled_at: 'in 1 hour' },
    ])
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(Object.keys(reply.body), ['data'])
    assert.deepEqual(await subjects(reply), ['one', 'two', 'three'])
    const events = await Promise.all(
      ids(reply).map(async (id) => (await api.get(`/emails/${id}`)).body.last_event === 'scheduled'),
    )
    assert.deepEqual(events, [false, false, true])
  })

  test('each is sent with its files', async () => {
    const files = [{ filename: 'a.bin', content: Buffer.alloc(200_000, 'x').toString('base64') }]
    const reply = await send([{ ...email, attachments: files }, email])
    assert.equal(reply.status, 200, reply.text)
    const [first, second] = ids(reply)
    const work = await service.store.readWork(first!)
    assert.equal(work?.content.attachments[0]?.content.length, 200_000)
    assert.deepEqual((await service.store.readWork(second!))?.content.attachments, [])
  })

  test('derives the text of each from its html', async () => {
    const reply = await send([{ ...email, text: undefined, html: '<p>Hi <b>you</b></p>' }])
    const stored = await service.store.readEmail(ids(reply)[0]!)
    assert.match(textOf(stored?.content.text ?? ''), /Hi you/)
  })

  test('accepts at most a hundred at once', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ ...email, subject: `${index}` }))
    const reply = await send(many.slice(0, 100))
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      await subjects(reply),
      many.slice(0, 100).map(({ subject }) => subject),
    )
    assertJsonError(await send(many), 422, 'validation_error', /1 to 100 emails; there are more/)
    // Read by the scanner of large bodies.
    const large = many.map((one) => ({ ...one, html: 'x'.repeat(1_000) }))
    assertJsonError(await send(large), 422, 'validation_error', /1 to 100 emails; there are more/)
    assert.equal((await send(large.slice(1))).status, 200)
  })

  test('strict, the default: an invalid email refuses all, and the error names it', async () => {
    const before = await emailCount(service, companyId)
    for (const headers of [{}, { 'x-batch-validation': 'strict' }]) {
      const reply = await send([email, wrong, { ...email, to: 'nonsense' }], headers)
      assertJsonError(reply, 422, 'missing_required_field', 'Email at index 1: Missing `to` field.')
    }
    const foreign = { ...email, from: 'ann@foreign.example' }
    const unverified = await send([email, email, foreign])
    assertJsonError(unverified, 403, 'validation_error', /^Email at index 2: The `foreign\.example` domain/)
    const tag = await send([{ ...email, tags: [{ name: 'a', value: 'b c' }] }])
    assertJsonError(tag, 422, 'validation_error', /^Email at index 0: Tags should only contain ASCII/)
    assertJsonError(
      await send([email, 'x']),
      422,
      'validation_error',
      /^Email at index 1: It must be an object/,
    )
    assert.equal(await emailCount(service, companyId), before)
  })

  test('permissive: valid emails are sent, and the others are named', async () => {
    const before = await emailCount(service, companyId)
    const reply = await send(
      [
        { ...email, subject: 'first' },
        wrong,
        { ...email, from: 'ann@foreign.example' },
        null,
        { ...email, subject: 'last' },
      ],
      permissive,
    )
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(Object.keys(reply.body), ['data', 'errors'])
    assert.deepEqual(await subjects(reply), ['first', 'last'])
    const errors = reply.body.errors as { index: number; message: string }[]
    assert.deepEqual(
      errors.map(({ index }) => index),
      [1, 2, 3],
    )
    assert.equal(errors[0]!.message, 'Missing `to` field.')
    assert.match(errors[1]!.message, /^The `foreign\.example` domain is not verified/)
    assert.equal(await emailCount(service, companyId), before + 2)
    assert.deepEqual((await send([email], permissive)).body.errors, [])
    assert.deepEqual(ids(await send([wrong], permissive)), [])
  })

  test('permissive: each error has the index of its email, at whatever stage it is found', async () => {
    const foreign = { ...email, from: 'ann@foreign.example' }
    const cases: [what: string, batch: unknown[], errors: [index: number, like: RegExp][]][] = [
      [
        'what cannot be read first',
        [null, foreign, email],
        [
          [0, /must be an object/],
          [1, /not verified/],
        ],
      ],
      [
        'what cannot be read between the others',
        [foreign, 'x', email, null, foreign, wrong],
        [
          [0, /not verified/],
          [1, /must be an object/],
          [3, /must be an object/],
          [4, /not verified/],
          [5, /Missing `to`/],
        ],
      ],
      [
        'nothing that is right',
        [null, null, foreign],
        [
          [0, /must be an object/],
          [1, /must be an object/],
          [2, /not verified/],
        ],
      ],
    ]
    for (const [what, batch, expected] of cases) {
      const reply = await send(batch, permissive)
      assert.equal(reply.status, 200, reply.text)
      const errors = reply.body.errors as { index: number; message: string }[]
      assert.deepEqual(
        errors.map(({ index }) => index),
        expected.map(([index]) => index),
        what,
      )
      for (const [at, [, like]] of expected.entries()) assert.match(errors[at]!.message, like, what)
      assert.equal(ids(reply).length, batch.length - expected.length, what)
    }
  })

  test('errors of the whole batch', async () => {
    assertJsonError(await send(email), 400, 'validation_error', /must be a JSON array/)
    assertJsonError(await send('[{"from":'), 400, 'validation_error', /not valid JSON/)
    assertJsonError(await send([]), 422, 'validation_error', /1 to 100 emails; there are none/)
    assertJsonError(
      await send([email], { 'x-batch-validation': 'loose' }),
      422,
      'validation_error',
      /x-batch/,
    )
    assertJsonError(await send([email], {}, 'pr_nobody'), 401, 'invalid_api_key')
    const reader = await service.key(companyId, { scopes: ['reading'] })
    for (const headers of [{}, permissive]) {
      assertJsonError(await send([email], headers, reader.token), 403, 'restricted_api_key', /`sending`/)
    }
    const form = { 'content-type': 'text/plain' }
    assertJsonError(await send([email], form), 415, 'validation_error')
  })

  test('a quota counts all emails of the batch', async () => {
    const { company, key } = await service.tenant('quota.example')
    await service.store.updateCompany(company.id, { limits: { daily: 3 } })
    await service.app.refreshAccounts()
    const own = { ...email, from: 'a@quota.example' }
    const first = await send([own, own], {}, key.token)
    assert.deepEqual([first.status, first.headers.get('x-resend-daily-quota')], [200, '2'])
    for (const headers of [{}, permissive]) {
      assertJsonError(await send([own, own], headers, key.token), 429, 'daily_quota_exceeded')
    }
    assert.equal(await emailCount(service, company.id), 2)
    assert.equal((await send([own], {}, key.token)).status, 200)
  })

  describe('Idempotency-Key', () => {
    const keyed = (body: unknown, key: string, headers = {}) =>
      send(body, { 'idempotency-key': key, ...headers })

    test('the same batch, also at the same moment, is sent once, and all get its ids', async () => {
      const before = await emailCount(service, companyId)
      const batch = [email, { ...email, subject: 'other' }]
      const replies = await Promise.all(Array.from({ length: 8 }, () => keyed(batch, 'b1')))
      const later = await keyed(batch, 'b1')
      for (const reply of [...replies, later]) {
        assert.equal(reply.status, 200, reply.text)
        assert.deepEqual(ids(reply), ids(later))
      }
      assert.equal(await emailCount(service, companyId), before + 2)
    })

    test('another batch with the same key is a conflict', async () => {
      assert.equal((await keyed([email], 'b2')).status, 200)
      assertJsonError(await keyed([email, email], 'b2'), 409, 'invalid_idempotent_request')
      assertJsonError(await keyed([email], 'b2', permissive), 409, 'invalid_idempotent_request')
    })

    test('the key of a single email is a different key', async () => {
      const single = await api.send(email, { 'idempotency-key': 'b3' })
      const batch = await keyed([email], 'b3')
      assert.deepEqual([single.status, batch.status], [200, 200])
      assert.notEqual(single.body.id, ids(batch)[0])
    })

    test('a repeated permissive batch gets the same answer', async () => {
      const batch = [wrong, email, wrong]
      const first = await keyed(batch, 'b4', permissive)
      assert.deepEqual((await keyed(batch, 'b4', permissive)).body, first.body)
      assert.equal(ids(first).length, 1)
    })

    test('a batch that is refused does not use up its key', async () => {
      assert.equal((await keyed([wrong], 'b5')).status, 422)
      assert.equal((await keyed([email], 'b5')).status, 200)
    })

    test('a key that is too long', async () => {
      assertJsonError(await keyed([email], 'k'.repeat(257)), 400, 'invalid_idempotency_key')
      assert.equal((await keyed([email], 'k'.repeat(256))).status, 200)
    })
  })
})
