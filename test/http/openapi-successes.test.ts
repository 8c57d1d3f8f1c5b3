/** Every successful answer in the OpenAPI document is received once, and matches its schema. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { bounce } from '../../harness/returned-mail.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { assignPool, createPool } from '../../src/operate/pools.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { OpenApi } from './openapi.ts'
import { Api, basic, call, type Reply } from './requests.ts'

/** What only a service in trouble answers; test/http/answers.test.ts sees it. */
const ELSEWHERE = ['GET /ready 503']
const D = { domain: 'ours.test' }

let dns: FakeDns
let service: Service
let api: Api
let openApi: OpenApi

before(async () => {
  dns = await startDns({})
  service = await startService({
    allowPrivateNetworks: true,
    dnsServers: [dns.address],
    dkimZone: 'dkim.service.test',
  })
  const { company } = await service.tenant('ours.test')
  const scopes = ['sending', 'reading', 'management'] as const
  api = new Api(service.url, (await service.key(company.id, { scopes: [...scopes] })).token)
  openApi = await OpenApi.of(service.url)
})
after(async () => {
  await service.close()
  await dns.close()
})

/** Calls a route that has to succeed, and keeps the answer; in the form dialect fields are a form. */
async function ask(
  method: string,
  path: string,
  { query = '', body, ...values }: { query?: string; body?: unknown; [parameter: string]: unknown } = {},
): Promise<Reply> {
  const target = path.replace(/\{(\w+|\*)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const isForm = /^\/v\d\//.test(path)
  const isJson = typeof body !== 'string' && (!isForm || /^\/v1\/analytics|^\/v2\/bounce/.test(path))
  const headers: Record<string, string> = {
    authorization: isForm ? basic(api.token) : `Bearer ${api.token}`,
    ...(body !== undefined && isJson && { 'content-type': 'application/json' }),
    ...(typeof body === 'string' && { 'content-type': 'message/rfc822' }),
  }
  const sent =
    body === undefined || body instanceof FormData || typeof body === 'string'
      ? body
      : isJson
        ? JSON.stringify(body)
        : new URLSearchParams(body as Record<string, string>)
  const init = { method, headers, ...(sent !== undefined && { body: sent }) }
  const reply = await call(`${service.url}${target}${query}`, init)
  assert.ok(reply.status < 300, `${method} ${target}: ${reply.status} ${reply.text}`)
  openApi.hold(method, path, reply)
  return reply
}

const email = { from: 'a@ours.test', to: 'b@x.test', subject: 's', text: 't' }

test('emails', async () => {
  await ask('POST', '/email', { body: email })
  await ask('POST', '/emails/batch', { body: [email, email] })
  const attachments = [{ filename: 'a.txt', content: 'aGk=' }]
  const { id } = (await ask('POST', '/emails', { body: { ...email, attachments } })).body
  await ask('GET', '/emails')
  await ask('GET', '/emails/{id}', { id })
  const [file] = (await ask('GET', '/emails/{id}/attachments', { id })).body.data as { id: string }[]
  const shown = await ask('GET', '/emails/{id}/attachments/{attachment}', { id, attachment: file!.id })
  const { search } = new URL(String(shown.body.download_url))
  const link = { id, attachment: file!.id, query: search }
  await ask('GET', '/emails/{id}/attachments/{attachment}/download', link)
  const shared = await ask('POST', '/emails/{id}/share', { id, body: {} })
  await ask('GET', '/emails/{id}/share', { id, query: new URL(String(shared.body.url)).search })
  await ask('GET', '/emails/metrics', { query: '?dimensions=period,domain' })
  await ask('GET', '/usage')
  await ask('POST', '/inbound/mail', { body: bounce({ to: 'gone@x.test' }) })
  const logged = () => ask('GET', '/logs')
  const line = await until(
    async () => ((await logged()).body.data as { id: string }[])[0],
    'a request in the log',
  )
  await ask('GET', '/logs/{id}', { id: line.id })
  const later = { ...email, scheduled_at: 'in 1 hour' }
  const scheduled = { id: (await ask('POST', '/emails', { body: later })).body.id }
  await ask('PATCH', '/emails/{id}', { ...scheduled, body: { scheduled_at: 'in 2 hours' } })
  await ask('POST', '/emails/{id}/cancel', scheduled)
})

test('domains, keys and suppressions of the JSON dialect', async () => {
  const { id } = (await ask('POST', '/domains', { body: { name: 'json.test' } })).body
  await ask('GET', '/domains')
  await ask('GET', '/domains/{id}', { id })
  await ask('PATCH', '/domains/{id}', { id, body: { open_tracking: true } })
  await ask('POST', '/domains/{id}/verify', { id })
  await ask('DELETE', '/domains/{id}', { id })
  const key = { id: (await ask('POST', '/api-keys', { body: { name: 'k' } })).body.id }
  await ask('GET', '/api-keys')
  await ask('PATCH', '/api-keys/{id}', { ...key, body: { name: 'other' } })
  await ask('DELETE', '/api-keys/{id}', key)
  const gone = { id: (await ask('POST', '/suppressions', { body: { email: 'gone@x.test' } })).body.id }
  await ask('GET', '/suppressions')
  await ask('GET', '/suppressions/{id}', gone)
  await ask('DELETE', '/suppressions/{id}', gone)
  const emails = ['one@x.test', 'two@x.test']
  await ask('POST', '/suppressions/batch/add', { body: { emails } })
  await ask('POST', '/suppressions/batch/remove', { body: { emails } })
})

test('webhooks of the JSON dialect', async () => {
  await using receiver = await Receiver.start()
  const events = ['email.sent', 'email.delivered']
  const made = await ask('POST', '/webhooks', { body: { endpoint: receiver.url, events } })
  const { id } = made.body
  await ask('GET', '/webhooks')
  await ask('GET', '/webhooks/{id}', { id })
  await ask('PATCH', '/webhooks/{id}', { id, body: { events: ['email.sent'] } })
  await ask('POST', '/webhooks/{id}/signing-secret/rotate', { id })
  await api.accepted(email)
  const [told] = await receiver.until(({ length }) => length >= 1)
  const event = told!.headers['svix-id']
  await ask('GET', '/webhooks/{id}/events', { id })
  const one = '/webhooks/{id}/events/{event}'
  const headers = { authorization: `Bearer ${api.token}` }
  const url = `${service.url}/webhooks/${id}/events/${event}`
  await until(async () => (await call(url, { headers })).status === 200, 'the attempt')
  await ask('GET', one, { id, event })
  await ask('GET', `${one}/attempts`, { id, event })
  await ask('POST', `${one}/replay`, { id, event })
  await ask('DELETE', '/webhooks/{id}', { id })
})

test('messages of the form dialect', async () => {
  await ask('POST', '/v3/{domain}/messages', { ...D, body: email })
  const mime = new FormData()
  mime.set('to', 'b@x.test')
  mime.set('message', new Blob(['From: a@ours.test\r\nSubject: s\r\n\r\nhello\r\n']), 'm')
  await ask('POST', '/v3/{domain}/messages.mime', { ...D, body: mime })
  const key = await api.accepted(email)
  for (const path of ['/v3/domains/{domain}/messages/{key}', '/v3/{domain}/messages/{key}']) {
    await ask('GET', path, { ...D, key })
    await ask('POST', path, { ...D, key, body: { to: 'c@x.test' } })
  }
  const events = await ask('GET', '/v3/{domain}/events', D)
  const { next } = events.body.paging as { next: string }
  await ask('GET', '/v3/{domain}/events/{*}', { ...D, '*': next.split('/').at(-1) })
  await ask('DELETE', '/v3/{domain}/envelopes', D)
})

test('domains of the form dialect', async () => {
  for (const age of ['/v3', '/v4']) {
    const domain = `form${age.slice(1)}.test`
    const one = `${age}/domains/{domain}`
    await ask('POST', `${age}/domains`, { body: { name: domain } })
    await ask('GET', `${age}/domains`)
    await ask('GET', one, { domain })
    await ask('PUT', one, { domain, body: { web_scheme: 'https' } })
    await ask('PUT', `${one}/verify`, { domain })
    await ask('DELETE', one, { domain })
  }
  const one = '/v3/domains/{domain}'
  await ask('GET', `${one}/connection`, D)
  await ask('PUT', `${one}/connection`, { ...D, body: { require_tls: 'no' } })
  await ask('GET', `${one}/sending_queues`, D)
  await ask('GET', `${one}/tracking`, D)
  await ask('PUT', `${one}/tracking/open`, { ...D, body: { active: 'no' } })
  await ask('PUT', `${one}/tracking/click`, { ...D, body: { active: 'no' } })
  await ask('PUT', `${one}/tracking/unsubscribe`, { ...D, body: { active: 'no' } })
  for (const login of ['first', 'second']) await ask('POST', `${one}/credentials`, { ...D, body: { login } })
  await ask('GET', `${one}/credentials`, D)
  await ask('PUT', `${one}/credentials/{login}`, { ...D, login: 'first', body: {} })
  await ask('DELETE', `${one}/credentials/{login}`, { ...D, login: 'first' })
  await ask('DELETE', `${one}/credentials`, D)
  const key = '?signing_domain=ours.test&selector=extra'
  await ask('POST', '/v1/dkim/keys', { body: { signing_domain: 'ours.test', selector: 'extra' } })
  await ask('GET', '/v1/dkim/keys')
  await ask('GET', '/v4/domains/{domain}/keys', D)
  for (const change of ['deactivate', 'activate', 'deactivate']) {
    await ask('PUT', `/v4/domains/{domain}/keys/{selector}/${change}`, { ...D, selector: 'extra' })
  }
  await ask('DELETE', '/v1/dkim/keys', { query: key })
  await ask('PUT', `${one}/dkim_selector`, { ...D, query: '?dkim_selector=other' })
  await ask('PUT', `${one}/dkim_authority`, { ...D, query: '?self=true' })

  const name = 'turning.test'
  await ask('POST', '/v4/domains', { body: { name } })
  const turning = (await service.store.accounts()).domains.find((domain) => domain.name === name)!
  await service.store.updateDomain(turning.id, { sending: 'active' })
  await service.app.refreshAccounts()
  const management = '/v1/dkim_management/domains/{domain}'
  const body = { rotation_enabled: 'true', rotation_interval: '30d' }
  await ask('PUT', `${management}/rotation`, { domain: name, body })
  await ask('POST', `${management}/rotate`, { domain: name })
})

test('lists of the form dialect', async () => {
  for (const list of ['bounces', 'unsubscribes', 'complaints', 'whitelists']) {
    const all = `/v3/{domain}/${list}`
    const one = list === 'whitelists' ? `${all}/{value}` : `${all}/{address}`
    const address = `${list}@x.test`
    await ask('POST', all, { ...D, body: { address } })
    await ask('GET', all, D)
    await ask('GET', one, { ...D, address, value: address })
    await ask('DELETE', one, { ...D, address, value: address })
    await ask('DELETE', all, D)
    if (openApi.document.paths[`${all}/import`] === undefined) continue
    const csv = new FormData()
    csv.set('file', new Blob([`address\n${address}\n`], { type: 'text/csv' }), 'list.csv')
    await ask('POST', `${all}/import`, { ...D, body: csv })
  }
})

test('webhooks of the form dialect', async () => {
  await using receiver = await Receiver.start()
  const { url } = receiver
  const word = 'delivered'
  const all = '/v3/domains/{domain}/webhooks'
  await ask('POST', all, { ...D, body: { id: word, url } })
  await ask('GET', all, D)
  await ask('GET', `${all}/{word}`, { ...D, word })
  await ask('PUT', `${all}/{word}`, { ...D, word, body: { url } })
  await ask('PUT', `${all}/{word}/test`, { ...D, word, body: { url } })
  await ask('DELETE', `${all}/{word}`, { ...D, word })
  await ask('POST', '/v4/domains/{domain}/webhooks', { ...D, body: { url, event_types: word } })
  await ask('PUT', '/v4/domains/{domain}/webhooks', { ...D, body: { url, event_types: 'opened' } })
  const query = `?url=${encodeURIComponent(url)}`
  await ask('DELETE', '/v4/domains/{domain}/webhooks', { ...D, query })
  await ask('GET', '/v5/accounts/http_signing_key')
  await ask('POST', '/v5/accounts/http_signing_key')
})

test('source addresses of the form dialect', async () => {
  const { settings, store } = service
  const op = operationOn(settings, store, OPERATOR, await store.accounts())
  const [pool, ip] = ['own', '192.0.2.9']
  await createPool(op, { pool, addresses: [ip] })
  const accounts = await store.accounts()
  await assignPool({ ...op, accounts }, { domain: 'ours.test', pool })
  await service.app.refreshAccounts()
  await ask('GET', '/v3/ips')
  await ask('GET', '/v3/ips/{ip}', { ip })
  await ask('GET', '/v3/ips/{ip}/domains', { ip })
  await ask('GET', '/v3/domains/{domain}/ips', D)
  for (const version of ['v1', 'v3']) {
    await ask('GET', `/${version}/ip_pools`)
    await ask('GET', `/${version}/ip_pools/{pool}`, { pool })
  }
  await ask('GET', '/v3/ip_pools/{pool}/domains', { pool })
})

test('figures of the form dialect', async () => {
  const tagged = await api.form('ours.test', [...Object.entries(email), ['o:tag', 'autumn']])
  assert.equal(tagged.status, 200)
  const headers = { authorization: basic(api.token) }
  await ask('POST', '/v1/analytics/logs', { body: {} })
  await ask('POST', '/v1/analytics/metrics', { body: { metrics: ['accepted_count'] } })
  await ask('POST', '/v2/bounce-classification/metrics', { body: { dimensions: ['category', 'timestamp'] } })
  // Counts follow the log.
  await until(
    async () => (await call(`${service.url}/v3/ours.test/tags/autumn`, { headers })).status === 200,
    'the tag',
  )
  const query = '?event=accepted'
  await ask('GET', '/v3/{domain}/stats/total', { ...D, query })
  await ask('GET', '/v3/stats/total', { query })
  await ask('GET', '/v3/{domain}/tags', D)
  await ask('GET', '/v3/{domain}/tags/{tag}', { ...D, tag: 'autumn' })
  await ask('GET', '/v3/{domain}/tags/{tag}/stats', { ...D, tag: 'autumn', query })
  await ask('PUT', '/v3/{domain}/tags/{tag}', { ...D, tag: 'autumn', body: { description: 'leaves' } })
  const everywhere = '/v1/analytics/tags'
  await ask('POST', everywhere, { body: { include_metrics: true } })
  await ask('GET', `${everywhere}/limits`)
  await ask('PUT', everywhere, { body: { tag: 'autumn', description: 'more leaves' } })
  await ask('DELETE', everywhere, { body: { tag: 'autumn' } })
  const later = await api.form('ours.test', [
    ...Object.entries(email),
    ...[
      ['o:tag', 'winter'],
      ['o:tag', 'snow'],
    ],
  ] as [string, string][])
  assert.equal(later.status, 200)
  await until(
    async () => (await call(`${service.url}/v3/ours.test/tags/winter`, { headers })).status === 200,
    'the other tag',
  )
  const winter = '?tag=winter'
  await ask('GET', '/v3/{domain}/tag', { ...D, query: winter })
  await ask('PUT', '/v3/{domain}/tag', { ...D, query: winter, body: { description: 'snow' } })
  await ask('GET', '/v3/{domain}/tag/stats', { ...D, query: `${winter}&event=accepted` })
  await ask('GET', '/v3/{domain}/tag/stats/aggregates', { ...D, query: `${winter}&type=device` })
  for (const by of ['devices', 'countries']) {
    await ask('GET', `/v3/{domain}/tags/{tag}/stats/aggregates/${by}`, { ...D, tag: 'winter' })
  }
  await ask('DELETE', '/v3/{domain}/tag', { ...D, query: winter })
  await ask('DELETE', '/v3/{domain}/tags/{tag}', { ...D, tag: 'snow' })
})

test('figures by domain and by provider', async () => {
  await ask('GET', '/v3/stats/total/domains', { query: `?event=accepted&timestamp=${Date.now() / 1000}` })
  for (const by of ['providers', 'devices', 'countries']) {
    await ask('GET', `/v3/{domain}/aggregates/${by}`, D)
    await ask('GET', `/v3/domains/{domain}/tag/${by}`, D)
  }
  await ask('GET', '/v3/domains/{domain}/limits/tag', D)
})

test('keys and webhooks of the company in the form dialect', async () => {
  const { key } = (await ask('POST', '/v1/keys', { body: { role: 'sending' } })).body
  await ask('GET', '/v1/keys')
  await ask('DELETE', '/v1/keys/{id}', { id: (key as { id: string }).id })
  const hook = { url: 'https://hook.example/', event_types: 'delivered' }
  const webhook = (await ask('POST', '/v1/webhooks', { body: hook })).body.webhook_id
  await ask('GET', '/v1/webhooks')
  await ask('GET', '/v1/webhooks/{webhook}', { webhook })
  await ask('PUT', '/v1/webhooks/{webhook}', { webhook, body: hook })
  await ask('DELETE', '/v1/webhooks/{webhook}', { webhook })
  await ask('DELETE', '/v1/webhooks', { query: '?all=true' })
})

test('the examples work unchanged', async () => {
  await using other = await startService()
  const { company } = await other.tenant('example.com')
  const key = await other.key(company.id, { scopes: ['sending', 'reading', 'management'] })
  let examples = 0
  for (const { method, path, operation } of openApi.routes) {
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
      if (example === undefined) continue
      examples += 1
      const isJson = type === 'application/json'
      const fields = Object.entries(example as Record<string, string>)
      const body = new (type.startsWith('multipart') ? FormData : URLSearchParams)()
      if (!isJson) for (const [name, value] of fields) body.append(name, value)
      const reply = await call(`${other.url}${path.replace('{domain}', 'example.com')}`, {
        method,
        headers: {
          authorization: isJson ? `Bearer ${key.token}` : basic(key.token),
          ...(isJson && { 'content-type': type }),
        },
        body: isJson ? JSON.stringify(example) : body,
      })
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
      openApi.hold(method, path, reply)
    }
  }
  assert.ok(examples >= 8, `${examples}`)
})

test('the document has no other answers', async () => {
  await ask('GET', '/health')
  await ask('GET', '/ready')
  const told = openApi.routes.flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses).flatMap((status) =>
      // That each asks for its key test/http/openapi.test.ts sees.
      status === 'default' || status === '401' ? [] : [`${method} ${path} ${status}`],
    ),
  )
  const missing = told.filter((answer) => !openApi.seen.has(answer) && !ELSEWHERE.includes(answer))
  assert.deepEqual(missing, [], 'these are in the document: ask for them here')
})
