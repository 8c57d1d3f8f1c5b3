/** Figures of the form dialect: totals, tags, metrics, and the logs of the newer endpoints. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'
import { newestClient } from './clients.ts'

describe('figures of the form dialect', () => {
  let service: Service
  let key: string
  let company: Company
  let mg: ReturnType<typeof newestClient>

  /** With the query that its types leave out. */
  let tags: {
    list(
      domain: string,
      query: object,
    ): Promise<{ items: { tag: string }[]; pages: Record<string, { page?: string }> }>
  }

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('stats.test')
    company = tenant.company
    key = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
    mg = newestClient(service.url, key)
    tags = mg.domains.domainTags as object as typeof tags
    const api = new Api(service.url, key)
    for (const [to, tag] of [
      ['a@one.test', 'spring'],
      ['b@one.test', 'spring'],
      ['c@two.test', 'autumn'],
    ] as const) {
      const sent = await api.form('stats.test', [
        ['from', 'me@stats.test'],
        ['to', to],
        ['text', 'x'],
        ['subject', `Of ${tag}`],
        ['o:tag', tag],
      ])
      assert.equal(sent.status, 200, sent.text)
    }
    // Counts follow the log.
    await until(async () => {
      const { body } = await get('/v3/stats.test/stats/total?event=delivered&duration=1d')
      const stats = body.stats as { delivered: { total: number } }[]
      return stats.reduce((sum, { delivered }) => sum + delivered.total, 0) === 3
    }, 'the counts of what was delivered')
  })
  after(() => service.close())

  const get = (path: string): Promise<Reply> =>
    call(`${service.url}${path}`, { headers: { authorization: basic(key) } })
  const post = (path: string, body: object): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: basic(key), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('totals by step', async () => {
    const { stats, resolution } = await mg.stats.getDomain('stats.test', {
      event: ['accepted', 'delivered', 'failed'],
      duration: '2d',
    })
    assert.equal(resolution, 'day')
    const sum = (read: (stat: Record<string, Record<string, number>>) => number) =>
      (stats as object as Record<string, Record<string, number>>[]).reduce((all, stat) => all + read(stat), 0)
    assert.equal(
      sum(({ accepted }) => accepted!.outgoing!),
      3,
    )
    assert.equal(
      sum(({ delivered }) => delivered!.smtp!),
      3,
    )
    assert.ok(stats.length >= 2)
    const whole = (await get('/v3/stats/total?event=accepted&duration=1d')).body
    const days = whole.stats as { accepted: { total: number } }[]
    assert.equal(
      days.reduce((all, { accepted }) => all + accepted.total, 0),
      3,
    )
    assertFormError(await get('/v3/stats.test/stats/total'), 400, 'event parameter is missing')
    assertFormError(await get('/v3/stats.test/stats/total?event=eaten'), 400, /event.*accepted, delivered/)
    assertFormError(await get('/v3/stats.test/stats/total?event=opened&duration=long'), 400, /duration/)
  })

  test('totals of one day by domain', async () => {
    await service.domain(company.id, 'quiet.test')
    const now = Math.floor(Date.now() / 1000)
    const { body, text } = await get(
      `/v3/stats/total/domains?event=accepted&event=delivered&timestamp=${now}&resolution=day`,
    )
    assert.equal(body.resolution, 'day', text)
    const stats = body.stats as { domain: string; time: string; delivered: { total: number } }[]
    assert.deepEqual(
      stats.map(({ domain, delivered }) => [domain, delivered.total]),
      [['stats.test', 3]],
    )
    assert.equal(stats[0]!.time, body.start)
    const long = await get(`/v3/stats/total/domains?event=accepted&timestamp=${now - 40 * 86_400}`)
    assert.deepEqual(long.body.stats, [])
    assertFormError(await get(`/v3/stats/total/domains?timestamp=${now}`), 400, 'event parameter is missing')
    assertFormError(
      await get('/v3/stats/total/domains?event=accepted'),
      400,
      'timestamp parameter is missing',
    )
    assertFormError(await get('/v3/stats/total/domains?event=accepted&timestamp=soon'), 400, /timestamp/)
    const { token } = await service.key(company.id, {
      scopes: ['reading'],
      domainId: (await service.domain(company.id, 'one-key.test')).id,
    })
    const own = await call(`${service.url}/v3/stats/total/domains?event=accepted&timestamp=${now}`, {
      headers: { authorization: basic(token) },
    })
    assert.deepEqual(own.body.stats, [], own.text)
  })

  test('figures by provider, which is the domain of recipients; none by device or country', async () => {
    const { body, text } = await get('/v3/stats.test/aggregates/providers')
    const providers = body.providers as Record<string, Record<string, number>>
    assert.deepEqual(Object.keys(providers), ['one.test', 'two.test'], text)
    assert.deepEqual(providers['one.test'], {
      ...{ accepted: 2, delivered: 2, failed: 0, clicked: 0, opened: 0 },
      ...{ unique_clicked: 0, unique_opened: 0, unsubscribed: 0, complained: 0 },
    })
    const long = await get('/v3/stats.test/aggregates/providers?start=1000000000&end=1000086400')
    assert.deepEqual(long.body, { providers: {} })
    assert.deepEqual((await get('/v3/stats.test/aggregates/devices')).body, { devices: {} })
    assert.deepEqual((await get('/v3/stats.test/aggregates/countries')).body, { countries: {} })
    const names = async (by: string) => (await get(`/v3/domains/stats.test/tag/${by}`)).body.items
    assert.deepEqual(await names('providers'), ['one.test', 'two.test'])
    assert.deepEqual(await names('devices'), ['desktop', 'mobile', 'tablet', 'unknown'])
    assert.deepEqual(await names('countries'), [])
    for (const path of ['/v3/no.test/aggregates/providers', '/v3/domains/no.test/tag/devices']) {
      assertFormError(await get(path), 404, 'Domain not found: no.test')
    }
  })

  test('one tag by its name in the query', async () => {
    const ask = (method: string, path: string, body?: URLSearchParams) =>
      call(`${service.url}${path}`, {
        method,
        headers: { authorization: basic(key) },
        ...(body && { body }),
      })
    const shown = await get('/v3/stats.test/tag?tag=spring')
    assert.equal(shown.body.tag, 'spring', shown.text)
    assert.deepEqual(shown.body, (await get('/v3/stats.test/tags/spring')).body)
    const query = 'event=delivered&event=accepted&duration=2d'
    const stats = await get(`/v3/stats.test/tag/stats?tag=spring&${query}`)
    assert.equal(stats.body.tag, 'spring', stats.text)
    assert.deepEqual(stats.body, (await get(`/v3/stats.test/tags/spring/stats?${query}`)).body)
    assertFormError(
      await get(`/v3/stats.test/tag/stats?tag=spring&${query}&provider=one.test`),
      400,
      /not counted by provider/,
    )
    const aggregates = (type: string) => get(`/v3/stats.test/tag/stats/aggregates?tag=spring&type=${type}`)
    assert.deepEqual((await aggregates('device')).body, { tag: 'spring', device: {} })
    assert.deepEqual((await aggregates('country')).body, { tag: 'spring', country: {} })
    assertFormError(await aggregates('provider'), 400, /aggregates\/providers/)
    for (const by of ['devices', 'countries']) {
      const plural = await get(`/v3/stats.test/tags/spring/stats/aggregates/${by}`)
      assert.deepEqual(plural.body, { tag: 'spring', [by]: {} })
    }
    const providers = await get('/v3/stats.test/tags/spring/stats/aggregates/providers')
    assertFormError(providers, 404, 'Not Found')
    assert.deepEqual((await get('/v3/domains/stats.test/limits/tag')).body, {
      ...{ id: 'stats.test', limit: 2 ** 31 - 1, count: 2 },
    })
    const described = await ask('PUT', '/v3/stats.test/tag?tag=spring&description=by+query')
    assert.deepEqual(described.body, { message: 'Tag updated' }, described.text)
    await ask('PUT', '/v3/stats.test/tag?tag=autumn', new URLSearchParams({ description: 'by form' }))
    const description = async (tag: string) => (await get(`/v3/stats.test/tag?tag=${tag}`)).body.description
    assert.deepEqual([await description('spring'), await description('autumn')], ['by query', 'by form'])
    for (const tag of ['spring', 'autumn']) await ask('PUT', `/v3/stats.test/tag?tag=${tag}&description=`)
    assertFormError(await get('/v3/stats.test/tag'), 400, 'tag parameter is missing')
    assertFormError(await get('/v3/stats.test/tag?tag=winter'), 404, 'Tag not found')
    assertFormError(await ask('DELETE', '/v3/stats.test/tag'), 400, 'tag parameter is missing')
    assertFormError(await ask('DELETE', '/v3/stats.test/tag?tag=winter'), 404, 'Tag not found')
    assertFormError(
      await ask('DELETE', '/v3/stats.test/tag', new URLSearchParams({ tag: 'winter' })),
      404,
      'Tag not found',
    )
  })

  test('tags, with the times of their use and their figures', async () => {
    const first = await tags.list('stats.test', { limit: 1 })
    assert.deepEqual(
      first.items.map(({ tag }) => tag),
      ['autumn'],
    )
    const next = await tags.list('stats.test', { limit: 1, page: first.pages.next!.page! })
    assert.deepEqual(
      next.items.map(({ tag }) => tag),
      ['spring'],
    )
    const tag = await mg.domains.domainTags.get('stats.test', 'spring')
    assert.ok(Math.abs(tag['last-seen'].getTime() - Date.now()) < 2 * 86_400_000)
    const figures = await mg.domains.domainTags.statistic('stats.test', 'spring', { event: 'delivered' })
    assert.equal(
      figures.stats.reduce((all, { delivered }) => all + delivered!.total, 0),
      2,
    )
    assertFormError(await get('/v3/stats.test/tags/winter'), 404, 'Tag not found')
  })

  test('tags of all domains, as the newest client requests them', async () => {
    const all = await mg.tags.list({})
    assert.deepEqual(all.pagination, { sort: 'lastseen:desc', skip: 0, limit: 10 })
    assert.deepEqual(all.items.map(({ tag, metrics }) => [tag, metrics]).sort(), [
      ['autumn', {}],
      ['spring', {}],
    ])
    assert.ok(Math.abs(all.items[0]!.last_seen.getTime() - Date.now()) < 2 * 86_400_000)
    const second = await mg.tags.list({
      include_metrics: true,
      pagination: { sort: 'tag:asc', skip: 1, limit: 1, include_total: true },
    })
    assert.deepEqual(second.pagination, { sort: 'tag:asc', skip: 1, limit: 1, total: 2 })
    const [spring] = second.items
    assert.deepEqual(
      [spring!.tag, spring!.metrics.accepted_count, spring!.account_name],
      ['spring', 2, company.name],
    )
    assert.deepEqual(
      (await mg.tags.list({ tag: 'spr', pagination: { sort: 'last_seen:asc' } })).items.map(({ tag }) => tag),
      ['spring'],
    )
    assert.deepEqual(await mg.tags.limits(), { limit: 2 ** 31 - 1, count: 2, limit_reached: false })
    assert.equal((await mg.tags.update('spring', 'flowers')).message, 'Tag updated')
    assert.equal((await mg.tags.list({ tag: 'spring' })).items[0]!.description, 'flowers')
    assert.equal((await mg.domains.domainTags.get('stats.test', 'spring')).description, 'flowers')
    await assert.rejects(mg.tags.update('winter', 'snow'), { status: 404 })
    await assert.rejects(mg.tags.destroy('winter'), { status: 404, details: 'Tag not found' })
    for (const pagination of [{ sort: 'weight:asc' }, { sort: 'constructor' }, { sort: 'tag:up' }]) {
      await assert.rejects(mg.tags.list({ pagination }), {
        status: 400,
        details: /pagination\.sort.*lastseen/,
      })
    }
    const many = { include_metrics: true, pagination: { limit: 21 } }
    await assert.rejects(mg.tags.list(many), { status: 400, details: /at most 20/ })
    // As the client for Ruby was recorded: its own notation in a form.
    const ruby = new URLSearchParams({
      include_subaccounts: 'true',
      pagination: '{sort: "lastseen:desc", limit: 10}',
    })
    const authorization = basic(key)
    const listed = await call(`${service.url}/v1/analytics/tags`, {
      method: 'POST',
      headers: { authorization },
      body: ruby,
    })
    assert.equal((listed.body.items as unknown[]).length, 2, listed.text)
  })

  test('a key for one domain sees the tags of that domain', async () => {
    const other = await service.domain(company.id, 'other.test')
    const { token } = await service.key(company.id, { scopes: ['reading'], domainId: other.id })
    assert.deepEqual((await newestClient(service.url, token).tags.list({})).items, [])
  })

  test('a tag is described, and removed from the list; its figures stay', async () => {
    const { domainTags } = mg.domains
    assert.equal((await domainTags.update('stats.test', 'autumn', 'leaves')).message, 'Tag updated')
    assert.equal((await domainTags.get('stats.test', 'autumn')).description, 'leaves')
    // That of another tag, described before, stays.
    assert.equal((await domainTags.get('stats.test', 'spring')).description, 'flowers')
    assert.equal((await domainTags.destroy('stats.test', 'autumn')).message, 'Tag deleted')
    assert.deepEqual(
      (await mg.tags.list({})).items.map(({ tag }) => tag),
      ['spring'],
    )
    const { items } = await tags.list('stats.test', {})
    assert.deepEqual(
      items.map(({ tag }) => tag),
      ['spring'],
    )
    assertFormError(await get('/v3/stats.test/tags/autumn'), 404, 'Tag not found')
    await assert.rejects(domainTags.update('stats.test', 'winter', 'snow'), { status: 404 })
    // Removed on an earlier day, it has been seen again since.
    const { domains } = await service.store.accounts()
    const { id: domainId } = domains.find(({ name }) => name === 'stats.test')!
    const removed = { domainId, tag: 'autumn', description: '', removedAt: Date.now() - 86_400_000 }
    await service.store.noteTag(removed)
    assert.equal((await domainTags.get('stats.test', 'autumn')).description, '')
    await domainTags.destroy('stats.test', 'autumn')
  })

  test('metrics by time, tag and recipient domain', async () => {
    const { body } = await post('/v1/analytics/metrics', {
      duration: '1d',
      dimensions: ['tag'],
      metrics: ['accepted_count', 'delivered_count', 'delivered_rate'],
      filter: { AND: [{ attribute: 'domain', comparator: '=', values: [{ value: 'stats.test' }] }] },
      include_aggregates: true,
    })
    const items = body.items as { dimensions: { value: string }[]; metrics: object }[]
    assert.deepEqual(items.map(({ dimensions, metrics }) => [dimensions[0]!.value, metrics]).sort(), [
      ['autumn', { accepted_count: 1, delivered_count: 1, delivered_rate: '100.00' }],
      ['spring', { accepted_count: 2, delivered_count: 2, delivered_rate: '100.00' }],
    ])
    const { metrics } = body.aggregates as { metrics: Record<string, number> }
    assert.equal(metrics.delivered_count, 3)
    const byDomain = await mg.metrics.getAccount({ duration: '1d', dimensions: ['recipient_domain'] })
    assert.deepEqual(byDomain.items.map(({ dimensions }) => dimensions[0]!.value).sort(), [
      'one.test',
      'two.test',
    ])
    assertFormError(
      await post('/v1/analytics/metrics', { metrics: ['joy'] }),
      400,
      /metrics.* no metric "joy"/,
    )
  })

  test('logs, filtered and in pages', async () => {
    const page = async (token?: string) =>
      (
        await post('/v1/analytics/logs', {
          events: ['delivered'],
          filter: {
            AND: [
              { attribute: 'domain', comparator: '=', values: [{ label: 'd', value: 'stats.test' }] },
              { attribute: 'subject', comparator: 'contains', values: [{ label: 's', value: 'spring' }] },
            ],
          },
          pagination: { sort: 'timestamp:asc', limit: 1, ...(token !== undefined && { token }) },
        })
      ).body as { items: Record<string, unknown>[]; pagination: { next: string } }
    const one = await page()
    const two = await page(one.pagination.next)
    const three = await page(two.pagination.next)
    const recipients = [one, two, three].map(({ items }) => items.map(({ recipient }) => recipient))
    assert.deepEqual(recipients, [['a@one.test'], ['b@one.test'], []])
    const [item] = one.items
    assert.deepEqual(item!.domain, { name: 'stats.test' })
    assert.ok(!Number.isNaN(Date.parse(String(item!['@timestamp']))))
    const { items } = await mg.logs.list({ start: new Date(Date.now() - 60_000), events: ['delivered'] })
    assert.equal(items.length, 3)

    const values = Array.from({ length: 1_000 }, (_, n) => ({ label: 's', value: `z${n}` }))
    const many = { AND: [{ attribute: 'subject', comparator: 'contains', values }] }
    const detail = /values may have at most 2000 characters in total/
    assertFormError(await post('/v1/analytics/logs', { filter: many }), 400, detail)
    const events = values.map(({ value }) => value)
    assertFormError(await post('/v1/analytics/logs', { events }), 400, detail)
  })

  test('a tag that is removed from all domains is listed in none', async () => {
    assert.equal((await mg.tags.destroy('spring')).message, 'Tag deleted')
    assert.deepEqual((await mg.tags.list({})).items, [])
    assertFormError(await get('/v3/stats.test/tags/spring'), 404, 'Tag not found')
  })
})
