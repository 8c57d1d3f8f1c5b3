/**
 * Queries of clients, at every declared route of both dialects: unknown fields are ignored, the size of a page is
 * limited, and a limit that is not a number is refused with a reason.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { allApis } from './all-routes.ts'
import { basic, call, type Reply } from './requests.ts'

const DOMAIN = 'query.test'
/** Above every most, and above what a number can tell exactly. */
const FAR_TOO_MANY = '99999999999999999999'

interface Query {
  properties?: Record<string, { maximum?: number; anyOf?: { maximum?: number }[] }>
}

const ROUTES = allApis()
  .filter(({ ownPage }) => ownPage !== true)
  .flatMap(({ endpoints = [] }) => endpoints)
  .filter(({ schema }) => schema.querystring !== undefined)
const LISTS = ROUTES.filter(({ schema }) => (schema.querystring as Query).properties?.limit !== undefined)

describe('queries of clients', () => {
  let service: Service
  let token: string

  before(async () => {
    service = await startService()
    const { company } = await service.tenant(DOMAIN)
    token = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
  })
  after(() => service.close())

  const ask = (path: string, method = 'GET', body?: object): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method,
      headers: {
        authorization: path.startsWith('/v') ? basic(token) : `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const pathOf = (url: string) => url.replace(':domain', DOMAIN).replaceAll(/:\w+/g, 'none')

  test('both dialects have lists', () => {
    const paths = LISTS.map(({ url }) => url)
    for (const path of ['/emails', '/webhooks', '/v3/:domain/bounces', '/v3/:domain/events', '/v3/domains']) {
      assert.ok(paths.includes(path), path)
    }
  })

  for (const { method, url } of ROUTES) {
    test(`${method} ${url}: unknown fields are ignored`, async () => {
      const { text } = await ask(`${pathOf(url)}?foo=bar&sess=&colour=red`, method)
      assert.doesNotMatch(text, /foo|sess|colour|no such field/)
    })
  }

  /** Parameters that a route needs before it looks at the limit. */
  const needed: Readonly<Record<string, string>> = {
    '/v3/stats/total/domains': `event=accepted&timestamp=${Math.floor(Date.now() / 1000)}&`,
  }
  for (const { method, url, schema } of LISTS) {
    test(`${method} ${url}: a limit is lowered, or refused with a reason`, async () => {
      const { limit } = (schema.querystring as Query).properties!
      assert.ok(limit!.maximum ?? limit!.anyOf?.some(({ maximum }) => maximum !== undefined), 'it has a most')
      const path = `${pathOf(url)}?${needed[url] ?? ''}`
      const many = await ask(`${path}limit=${FAR_TOO_MANY}`, method)
      assert.ok([200, 404].includes(many.status), many.text)
      const none = await ask(`${path}limit=abc`, method)
      assert.ok([400, 422].includes(none.status), none.text)
      assert.match(none.text, /limit.* must be a whole number/)
      const zero = await ask(`${path}limit=0`, method)
      assert.ok([400, 422].includes(zero.status), zero.text)
      assert.match(zero.text, /limit.* must be 1 or more/)
    })
  }

  test('a request for too many entries gets the largest page, in both dialects', async () => {
    const emails = Array.from({ length: 100 }, (_, index) => `a${index}@x.test`)
    await ask('/suppressions/batch/add', 'POST', { emails })
    await ask('/suppressions', 'POST', { email: 'last@x.test' })
    const { body } = await ask('/suppressions?limit=1000')
    assert.deepEqual([(body.data as unknown[]).length, body.has_more], [100, true])

    const entries = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ address: `b${from + index}@x.test` }))
    for (const [from, count] of [
      [0, 1_000],
      [1_000, 1],
    ] as const) {
      const added = await ask(`/v3/${DOMAIN}/bounces`, 'POST', entries(from, count))
      assert.equal(added.status, 200, added.text)
    }
    for (const query of ['limit=10000', 'limit=2&limit=10000', 'skip=0&limit=1001']) {
      const { body } = await ask(`/v3/${DOMAIN}/bounces?${query}`)
      assert.equal((body.items as unknown[]).length, 1_000, query)
      assert.equal(new URL((body.paging as { next: string }).next).searchParams.get('limit'), '1000')
    }
  })

  test('a limit in a body of the form dialect is lowered as well', async () => {
    const found = await ask('/v1/analytics/metrics', 'POST', {
      ...{ metrics: ['accepted_count'], dimensions: ['tag'], pagination: { limit: 10_000 } },
    })
    assert.equal(found.status, 200, found.text)
    assert.equal((found.body.pagination as { limit: number }).limit, 1_500)
  })
})
