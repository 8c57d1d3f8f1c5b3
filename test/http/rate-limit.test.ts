/** The token buckets, compared with exact numbers, and their headers in answers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Buckets, take } from '../../src/ingress/rate-limit.ts'
import { startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, call, type Reply } from './requests.ts'

describe('Buckets', () => {
  test('let the number of one second through at once, then one by one', () => {
    const buckets = new Buckets()
    const taken = (at: number) => take(buckets.filled('k', 2, at))
    assert.deepEqual([taken(0), taken(0), taken(0)], [0, 0, 1])
    assert.equal(taken(400), 1)
    assert.equal(taken(500), 0)
    assert.equal(taken(501), 1)
    assert.deepEqual([taken(60_000), taken(60_000), taken(60_000)], [0, 0, 1])
  })

  test('give the time of the next possible request in whole seconds', () => {
    const buckets = new Buckets()
    const taken = (at: number) => take(buckets.filled('k', 0.1, at))
    assert.equal(taken(0), 0)
    assert.equal(taken(0), 10)
    assert.equal(taken(4_500), 6)
    assert.equal(taken(10_000), 0)
  })

  test('use a changed limit at once', () => {
    const buckets = new Buckets()
    const taken = (limit: number, at: number) => take(buckets.filled('k', limit, at))
    assert.deepEqual([taken(3, 0), taken(3, 0)], [0, 0])
    assert.deepEqual([taken(1, 0), taken(1, 0)], [0, 1])
    assert.deepEqual([taken(5, 1_000), taken(5, 1_000)], [0, 0])
  })

  test('are independent, also many of them', () => {
    const buckets = new Buckets()
    for (let key = 0; key < 50_000; key++) assert.equal(take(buckets.filled(`k${key}`, 1, key)), 0)
    assert.equal(take(buckets.filled('k49999', 1, 49_999)), 1)
  })
})

/** The fields of a limit, which some clients read as integers from every answer. */
function said({ headers }: Reply): (number | string | null)[] {
  const integer = (name: string) => {
    const text = headers.get(name)
    assert.match(text ?? '', /^\d+$/, `${name}: ${text}`)
    return Number(text)
  }
  return [integer('ratelimit-limit'), integer('ratelimit-remaining'), headers.get('ratelimit-policy')]
}

describe('a rate limit of keys', () => {
  test('is on every answer, in plain integers', async () => {
    await using service = await startService({ rateLimit: 1000 })
    const { key } = await service.tenant('acme.example')
    const api = new Api(service.url, key.token)
    const sent = await api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    assert.deepEqual(said(sent), [1000, 999, '1000;w=1'])
    assert.equal(sent.headers.get('ratelimit-reset'), '1')
    const [, remaining] = said(await api.get(`/emails/${sent.body.id}`))
    assert.ok(Number(remaining) >= 998)
    for (const reply of [
      await api.get('/emails/x'),
      await api.send('nonsense'),
      await api.form('acme.example', []),
      await api.get('/emails/x/y/z'),
      await call(`${service.url}/emails`, { method: 'POST' }),
      await call(`${service.url}/emails`, { method: 'PUT' }),
    ]) {
      assert.ok(reply.status >= 400)
      assert.equal(said(reply)[0], 1000)
    }
    assert.equal((await call(`${service.url}/health`)).headers.get('ratelimit-limit'), null)
  })

  test('when it is used up: 429 with an integer retry-after in both dialects, only for that key', async () => {
    // So few that nothing is refilled while the test runs.
    await using service = await startService({ rateLimit: 0.001 })
    const { company, key } = await service.tenant('acme.example')
    const api = new Api(service.url, key.token)
    assert.equal((await api.get('/emails/x')).status, 404)
    const json = await api.send({})
    assertJsonError(json, 429, 'rate_limit_exceeded', /This API key/)
    const form = await api.form('acme.example', [])
    assertFormError(form, 429)
    for (const reply of [json, form]) {
      assert.ok(Number(reply.headers.get('retry-after')) > 900)
      assert.deepEqual(said(reply), [1, 0, '1;w=1'])
    }
    const other = new Api(service.url, (await service.key(company.id)).token)
    assert.equal((await other.get('/emails/x')).status, 404)
  })
})

describe('a rate limit of a company', () => {
  test('is shared by its keys, and does not affect other companies', async () => {
    await using service = await startService({ rateLimit: 1_000 })
    const { company, key } = await service.tenant('acme.example')
    const other = await service.tenant('other.example')
    await service.store.updateCompany(company.id, { limits: { rate: 2 } })
    await service.app.refreshAccounts()
    const keys = [key, await service.key(company.id)].map(({ token }) => new Api(service.url, token))
    const ask = (index: number) => keys[index % 2]!.get('/emails/x')
    // More than are refilled while they are asked.
    const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index)))
    const refused = replies.filter(({ status }) => status === 429)
    assert.ok(refused.length > 20, String(refused.length))
    for (const reply of refused) {
      assertJsonError(reply, 429, 'rate_limit_exceeded', /This company may make 2 requests per second/)
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
      assert.deepEqual(said(reply), [2, 0, '2;w=1'])
    }
    // The answer shows the tighter of both limits.
    assert.deepEqual(said(replies.find(({ status }) => status === 404)!)[0], 2)
    assert.equal(said(await new Api(service.url, other.key.token).get('/emails/x'))[0], 1_000)
  })
})

test('does not exist unless the operator sets one, and answers do not mention one', async () => {
  await using service = await startService()
  const { key } = await service.tenant('acme.example')
  const api = new Api(service.url, key.token)
  for (const { status, headers } of await Promise.all(
    Array.from({ length: 100 }, () => api.get('/emails/x')),
  )) {
    assert.equal(status, 404)
    const limits = [...headers.keys()].filter((name) => /^ratelimit|^retry/.test(name))
    assert.deepEqual(limits, [])
  }
})
