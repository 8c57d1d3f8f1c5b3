/**
 * Requests of mailgun-php 4.5, mailgun-ruby 1.4 and mailgun-go 5 that differ from those of the clients for JavaScript: as
 * they were recorded, or as their sources make them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'

describe('requests of other clients', () => {
  let service: Service
  let token: string

  before(async () => {
    service = await startService()
    const { company } = await service.tenant('other.test')
    token = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
    const api = new Api(service.url, token)
    for (const tag of ['one', 'two']) {
      const sent = await api.form('other.test', [
        ['from', 'a@other.test'],
        ['to', 'b@x.test'],
        ['text', 't'],
        ['o:tag', tag],
      ])
      assert.equal(sent.status, 200, sent.text)
    }
    // Counts follow the log.
    for (const tag of ['one', 'two']) {
      await until(async () => (await ask('GET', `/v3/other.test/tag?tag=${tag}`)).status === 200, tag)
    }
  })
  after(() => service.close())

  const ask = (method: string, path: string, fields?: Record<string, string>): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method,
      headers: { authorization: basic(token) },
      ...(fields && { body: new URLSearchParams(fields) }),
    })
  const answered = async (...[method, path, fields]: Parameters<typeof ask>) => {
    const { status, text, body } = await ask(method, path, fields)
    assert.equal(status, 200, `${method} ${path}: ${text}`)
    return body
  }

  test('PHP: a DKIM key and a tag are removed by a form', async () => {
    const key = { signing_domain: 'other.test', selector: 'php' }
    await answered('POST', '/v1/dkim/keys', key)
    assert.deepEqual(await answered('DELETE', '/v1/dkim/keys', key), { message: 'success' })
    assert.deepEqual(await answered('DELETE', '/v3/other.test/tag', { tag: 'two' }), {
      message: 'Tag deleted',
    })
    assertFormError(await ask('DELETE', '/v1/dkim/keys'), 400, 'signing_domain parameter is missing')
  })

  test('PHP: figures of a tag, aggregates and the limit of tags', async () => {
    const stats = await answered('GET', '/v3/other.test/tag/stats?tag=one&event=accepted')
    assert.ok(Array.isArray(stats.stats))
    for (const text of [stats.start, stats.end]) assert.ok(!Number.isNaN(Date.parse(String(text))))
    for (const by of ['providers', 'devices', 'countries']) {
      const found = (await answered('GET', `/v3/other.test/aggregates/${by}`))[by]
      assert.equal(typeof found, 'object')
    }
    const { limit, count } = await answered('GET', '/v3/domains/other.test/limits/tag')
    assert.ok(Number(count) >= 1 && Number(limit) <= 2 ** 31 - 1)
  })

  test('PHP: the scheme of links, by `PUT /v4/domains/{domain}`', async () => {
    const { domain } = await answered('PUT', '/v4/domains/other.test', { web_scheme: 'http' })
    assert.equal((domain as { web_scheme: string }).web_scheme, 'http')
  })

  test('Ruby: the authority and selector of DKIM in the body, settings of tracking one by one', async () => {
    const { changed } = await answered('PUT', '/v3/domains/other.test/dkim_authority', { self: 'true' })
    assert.equal(changed, false)
    await answered('PUT', '/v3/domains/other.test/dkim_selector', { dkim_selector: 'ruby' })
    const { items } = await answered('GET', '/v4/domains/other.test/keys')
    assert.deepEqual(
      (items as { selector: string }[]).map(({ selector }) => selector),
      ['ruby'],
    )
    const { open } = await answered('PUT', '/v3/domains/other.test/tracking/open', {
      place_at_the_top: 'yes',
    })
    assert.deepEqual(open, { active: false, place_at_the_top: true })
  })

  test('Go: API keys, with times that it can read', async () => {
    const given = { role: 'sending', description: 'Go', kind: 'domain', domain_name: 'other.test' }
    const { key } = await answered('POST', '/v1/keys', { ...given, expiration: '3600', email: 'a@x.test' })
    const made = key as Record<string, unknown>
    // The client reads an absent time as none, and cannot read null.
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/
    for (const name of ['created_at', 'updated_at', 'expires_at'])
      assert.match(String(made[name]), time, name)
    const { items } = await answered('GET', '/v1/keys?domain_name=other.test&kind=domain')
    for (const item of items as Record<string, unknown>[]) {
      for (const name of ['created_at', 'updated_at', 'expires_at']) assert.notEqual(item[name], null)
    }
    await answered('DELETE', `/v1/keys/${made.id}`)
    assertFormError(await ask('POST', '/v1/keys/public'), 405, /allowed: DELETE/)
  })

  test('missing features are a 404 with a body that they can read', async () => {
    for (const [method, path] of [
      ['GET', '/v3/other.test/tags/one/stats/aggregates/providers'],
      ['POST', '/v1/analytics/usage/metrics'],
      ['GET', '/v3/other.test/templates'],
      ['GET', '/v3/routes'],
      ['GET', '/v3/lists/pages'],
      ['GET', '/v5/accounts/subaccounts'],
      ['PUT', '/v5/accounts'],
      ['PUT', '/v3/domains/other.test/web_prefix'],
      ['GET', '/v2/x509/other.test/status'],
      ['GET', '/v1/thresholds/alerts/send'],
      ['GET', '/v3/stats/filter'],
    ] as const) {
      assertFormError(await ask(method, path), 404, 'Not Found')
    }
  })
})
