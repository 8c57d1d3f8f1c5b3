/** The headers of every answer, the pages for people and machines, and secrets that never get into a log. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { StoreConflict, StoreDamaged, StoreUnavailable } from '../../src/store/store.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, basic, call } from './requests.ts'

describe('every answer', () => {
  let service: Service
  let api: Api

  before(async () => {
    service = await startService({ metrics: 'same' })
    const { key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const paths = [
    '/',
    '/emails',
    '/emails/x',
    '/nothing',
    '/v3/x/messages',
    '/v3/x',
    '/health',
    '/ready',
    '/metrics',
  ]
  for (const path of paths) {
    test(`to ${path} has a request id, no-store and nosniff, and allows no other origin`, async () => {
      const { headers } = await call(api.url + path, { headers: { origin: 'https://evil.test' } })
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('access-control-allow-origin'), null)
      assert.equal(headers.get('server'), null)
      assert.equal(headers.get('x-powered-by'), null)
    })
  }

  test('a valid request id of the client is used in the answer and in the log', async () => {
    const id = 'client-7f3a.1'
    const { headers } = await call(`${api.url}/emails`, { headers: { 'x-request-id': id } })
    assert.equal(headers.get('x-request-id'), id)
    assert.ok(service.logged.some((line) => JSON.parse(line).requestId === id))
  })

  test('any other request id is replaced', async () => {
    for (const id of ['a b', '{"x":1}', '-x', 'x'.repeat(101), 'ä']) {
      const { headers } = await call(`${api.url}/emails`, { headers: { 'x-request-id': id } })
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, id)
    }
  })

  test('no log line contains a key, whatever was wrong with the request', async () => {
    const fake = `pr_${'z'.repeat(32)}`
    await api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    await api.send('nonsense')
    await api.form('acme.example', [['from', 'nonsense']])
    await new Api(api.url, fake).send({})
    await call(`${api.url}/emails`, { headers: { authorization: basic(fake) } })
    await call(`${api.url}/${fake}`)
    const log = service.logged.join('\n')
    assert.ok(log.includes('email_send'), 'the requests were logged at level debug')
    for (const secret of [api.token, fake, basic(api.token).slice(6), basic(fake).slice(6)]) {
      assert.ok(!log.includes(secret), 'a secret is in the log')
    }
  })

  test('the first page describes the service, and loads nothing', async () => {
    const reply = await call(`${api.url}/`)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(reply.text, /Postroad/)
    assert.match(reply.text, /version \d+\.\d+\.\d+/)
    assert.doesNotMatch(reply.text, /<script|<link|<img|src=|https?:/)
    const policy = reply.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; /)
    assert.match(policy, /frame-ancestors 'none'/)
  })

  test('/health and /ready', async () => {
    assert.deepEqual((await call(`${api.url}/health`)).body, { status: 'ok' })
    const ready = await call(`${api.url}/ready`)
    assert.equal(ready.status, 200)
    assert.deepEqual(ready.body, { status: 'ready' })
  })

  test('/metrics counts requests by operation and status, with no label that names a company or person', async () => {
    await api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    const { text, headers } = await call(`${api.url}/metrics`)
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(text, /postroad_http_requests_total\{operation="email_send",status="200"\} [1-9]/)
    assert.match(text, /postroad_http_request_seconds_count\{operation="email_send"\} [1-9]/)
    assert.doesNotMatch(text, /acme\.example|pr_/)
  })
})

describe('/metrics', () => {
  test('is served only if it is configured', async () => {
    await using service = await startService({ metrics: 'off' })
    assertJsonError(await call(`${service.url}/metrics`), 404, 'not_found')
  })

  test('with a listener of its own, is served nowhere else', async () => {
    await using service = await startService({ metrics: { host: '127.0.0.1', port: 0 } })
    assert.equal((await call(`${service.url}/metrics`)).status, 404)
    const { metricsUrl } = service.app
    assert.ok(metricsUrl)
    assert.match((await call(metricsUrl)).text, /postroad_http_requests_total/)
    assert.equal((await call(metricsUrl.replace('/metrics', '/emails'))).status, 404)
  })
})

describe('when the store does not answer', () => {
  test('503 with retry-after in both dialects and at /ready, and nothing is accepted', async () => {
    await using service = await startService()
    const { key } = await service.tenant('acme.example')
    const api = new Api(service.url, key.token)
    await service.store.close()
    await assert.rejects(service.store.probe(), StoreUnavailable)
    const json = await api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    assertJsonError(json, 503, 'application_error')
    const form = await api.form('acme.example', [
      ['from', 'a@acme.example'],
      ['to', 'b@x.test'],
      ['text', 't'],
    ])
    assertFormError(form, 503)
    const read = await api.get('/emails/01a1fba6-08a9-7e45-998a-efec67aab0d1')
    assertJsonError(read, 503, 'application_error')
    const events = await call(`${service.url}/v3/acme.example/events`, {
      headers: { authorization: basic(key.token) },
    })
    assertFormError(events, 503)
    const change = await call(`${service.url}/emails/01a1fba6-08a9-7e45-998a-efec67aab0d1/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.token}` },
    })
    assertJsonError(change, 503, 'application_error')
    const ready = await call(`${service.url}/ready`)
    assertJsonError(ready, 503, 'application_error')
    for (const { text } of [json, form, ready]) assert.match(text, /cannot accept mail now/)
    for (const { text } of [read, events]) assert.match(text, /cannot look this up now; please try again/)
    assert.match(change.text, /cannot process the request now; please try again/)
    for (const { headers } of [json, form, read, events, change, ready])
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await call(`${service.url}/health`)).status, 200)
  })

  test('the log reports it once a second, with the number of refused requests', async () => {
    await using service = await startService()
    const { key } = await service.tenant('acme.example')
    const api = new Api(service.url, key.token)
    await service.store.close()
    const send = () => api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    const lines = () => service.logged.filter((line) => line.includes('cannot accept mail now'))
    let sent = 0
    for (; lines().length < 2; sent++) assert.equal((await send()).status, 503)
    const { others } = JSON.parse(lines()[1]!)
    assert.ok(others > 0)
    // Without the two refusals that have a line of their own.
    assert.equal(others, sent - 2)
  })
})

describe('when the store refuses a write', () => {
  const faults = [
    new TypeError('secret: a bug'),
    new StoreConflict('secret: no such company'),
    new StoreDamaged('secret: a page is damaged'),
  ]
  for (const fault of faults) {
    test(`${fault.name}: 500 in both dialects, because a retry would not help, and no outage is reported`, async () => {
      await using service = await startService({ metrics: 'same' })
      const { company, key } = await service.tenant('acme.example')
      const api = new Api(service.url, key.token)
      const { store } = service
      const accept = store.accept.bind(store)
      store.accept = () => Promise.reject(fault)
      const json = () => api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
      const form = () =>
        api.form('acme.example', [
          ['from', 'a@acme.example'],
          ['to', 'b@x.test'],
          ['text', 't'],
        ])
      const replies = [await json(), await form()]
      assertJsonError(replies[0]!, 500, 'internal_server_error')
      assertFormError(replies[1]!, 500)
      for (const { headers, text } of replies) {
        assert.equal(headers.get('retry-after'), null)
        assert.ok(!text.includes('secret'), text)
      }
      const failures = service.logged
        .map((line) => JSON.parse(line))
        .filter(({ level, msg }) => level === 'error' && msg === 'a request failed')
      assert.deepEqual(
        failures.map(({ requestId, err }) => [requestId, err.message]),
        replies.map(({ headers }) => [headers.get('x-request-id'), fault.message]),
      )
      assert.ok(!service.logged.some((line) => line.includes('cannot accept mail now')))
      assert.equal((await call(`${service.url}/ready`)).status, 200)
      assert.match((await call(`${service.url}/metrics`)).text, /^postroad_store_faults_total 0$/m)

      store.accept = accept
      for (const send of [json, form]) assert.equal((await send()).status, 200)
      assert.equal((await store.listEmails({ companyId: company.id, limit: 10 })).length, 2)
    })
  }
})
