/** `GET /emails/{id}`: all fields always, and the rights to read. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Company, SendingDomain } from '../../../src/accounts/account.ts'
import { EVENT_TYPES } from '../../../src/email/event.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, call, newestEmail } from '../requests.ts'

const FIELDS = [
  'bcc',
  'cc',
  'created_at',
  'from',
  'html',
  'id',
  'last_event',
  'object',
  'reply_to',
  'subject',
  'text',
  'to',
]

describe('GET /emails/{id}', () => {
  let service: Service
  let company: Company
  let domain: SendingDomain
  let api: Api
  const minimal = { from: 'Ann <ann@acme.example>', to: 'bob@x.test', text: 'hello' }

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('acme.example')
    company = tenant.company
    domain = tenant.domain
    api = new Api(service.url, tenant.key.token)
  })
  after(() => service.close())

  test('the twelve fields are there for the smallest email, with empty values of the right kind', async () => {
    const id = await api.accepted(minimal)
    const reply = await api.get(`/emails/${id}`)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    const { body } = reply
    for (const field of FIELDS) assert.ok(field in body, `${field} is missing`)
    assert.equal(body.object, 'email')
    assert.equal(body.id, id)
    assert.equal(body.from, 'Ann <ann@acme.example>')
    assert.deepEqual(body.to, ['bob@x.test'])
    assert.deepEqual(body.cc, [])
    assert.deepEqual(body.bcc, [])
    assert.equal(body.reply_to, null)
    assert.equal(body.subject, '')
    assert.equal(body.html, '')
    assert.equal(body.text, 'hello')
    assert.match(String(body.message_id), /^<[^<>@\s]+@acme\.example>$/)
    assert.equal(body.scheduled_at, null)
    assert.deepEqual(body.tags, [])
  })

  test('the fields of a full email come back as they were sent', async () => {
    const sent = {
      from: 'Änn <ann@acme.example>',
      to: ['"Doe, Jane" <jane@x.test>', 'b@y.test'],
      cc: ['c@x.test'],
      bcc: ['d@x.test', 'e@x.test'],
      reply_to: ['Help <help@acme.example>'],
      subject: 'Grüße 🎉',
      html: '<p>ü</p>',
      text: 'ü',
      tags: [{ name: 'a', value: 'b' }],
    }
    const { body } = await api.get(`/emails/${await api.accepted(sent)}`)
    for (const [field, value] of Object.entries(sent)) assert.deepEqual(body[field], value, field)
  })

  test('a derived text is shown, an opted-out one is empty', async () => {
    const derived = await api.get(
      `/emails/${await api.accepted({ ...minimal, text: null, html: '<p>Hi</p>' })}`,
    )
    assert.match(String(derived.body.text), /Hi/)
    const none = await api.get(`/emails/${await api.accepted({ ...minimal, text: '', html: '<p>Hi</p>' })}`)
    assert.equal(none.body.text, '')
  })

  test('created_at is ISO 8601 with microseconds and the offset +00:00', async () => {
    const before = Date.now()
    const { body } = await api.get(`/emails/${await api.accepted(minimal)}`)
    assert.match(String(body.created_at), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}\+00:00$/)
    const at = Date.parse(String(body.created_at))
    assert.ok(at >= before && at <= Date.now())
  })

  test('last_event is one of a closed list, and `sent` after acceptance', async () => {
    const id = await api.accepted(minimal)
    const history = await service.store.readHistory(id)
    assert.ok(history?.events.some(({ type }) => type === 'sent'))
    const { body } = await api.get(`/emails/${id}`)
    assert.ok((EVENT_TYPES as readonly unknown[]).includes(body.last_event), String(body.last_event))
  })

  test('an email accepted through the form dialect is readable by its id', async () => {
    const reply = await api.form('acme.example', [
      ['from', 'Ann <ann@acme.example>'],
      ['to', 'bob@x.test'],
      ['text', 'hello'],
      ['o:tag', 'news'],
    ])
    assert.equal(reply.status, 200, reply.text)
    const { body } = await api.get(`/emails/${await newestEmail(service, company.id)}`)
    assert.equal(body.message_id, reply.body.id)
    assert.deepEqual(body.tags, [{ name: 'tag', value: 'news' }])
  })

  test('a GET may carry a JSON content type without a body, or the body {}', async () => {
    const id = await api.accepted(minimal)
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' }
    assert.equal((await call(`${api.url}/emails/${id}`, { headers })).status, 200)
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    http
      .request(`${api.url}/emails/${id}`, { headers: { ...headers, 'content-length': 2 } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      .on('error', reject)
      .end('{}')
    assert.equal(await promise, 200)
  })

  test('HEAD answers as GET does, without the body', async () => {
    const id = await api.accepted(minimal)
    const response = await fetch(`${api.url}/emails/${id}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${api.token}` },
    })
    assert.equal(response.status, 200)
    assert.ok(Number(response.headers.get('content-length')) > 100)
    assert.equal(await response.text(), '')
  })

  test('an id in capitals is the same id; duplicate slashes are collapsed', async () => {
    const id = await api.accepted(minimal)
    assert.equal((await api.get(`/emails/${id.toUpperCase()}`)).body.id, id)
    assert.equal((await api.get(`//emails///${id}`)).body.id, id)
  })

  for (const id of [
    '01a1fba6-08a9-7e45-998a-efec67aab0d1',
    'nonsense',
    '1',
    '%00',
    '%zz',
    "'%20or%201=1--",
    'x'.repeat(2000),
    '01a1fba6-08a9-7e45-998a-efec67aab0d1%0a',
  ]) {
    test(`404 not_found for the id ${id.slice(0, 40)}`, async () => {
      assertJsonError(await api.get(`/emails/${id}`), 404, 'not_found', 'Email not found')
    })
  }

  test('401 comes before 404, also for an id that cannot be decoded', async () => {
    for (const id of ['01a1fba6-08a9-7e45-998a-efec67aab0d1', '%zz', 'x'.repeat(2000)]) {
      assertJsonError(await call(`${api.url}/emails/${id}`), 401, 'missing_api_key')
    }
  })

  test('a key with only sending reads emails that it sent itself, and no others', async () => {
    const mine = new Api(api.url, (await service.key(company.id, { scopes: ['sending'] })).token)
    const own = await mine.accepted(minimal)
    assert.equal((await mine.get(`/emails/${own}`)).status, 200)
    const theirs = await api.accepted(minimal)
    assertJsonError(await mine.get(`/emails/${theirs}`), 404, 'not_found', 'Email not found')
  })

  test('a key with reading reads all emails of its company', async () => {
    const reader = new Api(api.url, (await service.key(company.id, { scopes: ['reading'] })).token)
    assert.equal((await reader.get(`/emails/${await api.accepted(minimal)}`)).status, 200)
  })

  test('a key with neither gets the name of the scope that it lacks, whatever it requests', async () => {
    const manager = new Api(api.url, (await service.key(company.id, { scopes: ['management'] })).token)
    const id = await api.accepted(minimal)
    const lacks =
      'This API key lacks the `reading` scope; create another one that has it: postroad key create --company NAME --name NAME --scope reading'
    for (const asked of [id, '01a1fba6-08a9-7e45-998a-efec67aab0d1', 'x', '%ff', 'x'.repeat(1_000)]) {
      assertJsonError(await manager.get(`/emails/${asked}`), 403, 'restricted_api_key', lacks)
    }
  })

  test('a key for one domain reads emails of that domain', async () => {
    const second = await service.domain(company.id, 'second.example')
    const here = new Api(api.url, (await service.key(company.id, { domainId: domain.id })).token)
    const there = new Api(api.url, (await service.key(company.id, { domainId: second.id })).token)
    const id = await api.accepted(minimal)
    assert.equal((await here.get(`/emails/${id}`)).status, 200)
    assertJsonError(await there.get(`/emails/${id}`), 404, 'not_found', 'Email not found')
  })
})
