/** The log of API requests, as the published client reads it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import type { ApiRequest } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { assertJsonError, call } from '../requests.ts'

describe('the log of API requests', () => {
  let service: Service
  let companyId: string
  let resend: Resend
  let token: string

  before(async () => {
    service = await startService()
    companyId = (await service.tenant('logged.test')).company.id
    token = (await service.key(companyId, { scopes: ['sending', 'reading', 'management'] })).token
    resend = new Resend(token, { baseUrl: service.url })
  })
  after(() => service.close())

  const post = (path: string, body: string | FormData | URLSearchParams, headers: Record<string, string>) =>
    call(`${service.url}${path}`, { method: 'POST', body, headers })
  /** The newest request of a company with this filter, as soon as it is written. */
  const logged = (filter: object): Promise<ApiRequest> =>
    until(
      async () => (await service.store.apiRequests({ companyId, limit: 1, ...filter }))[0],
      'a request in the log',
    )

  test('has a refused message with its fields, its error and its client, without content', async () => {
    const { error } = await resend.emails.send({
      ...{ from: 'not an address', to: 'b@x.test', subject: 'The secret plan', text: 'My password is 123' },
    })
    const found = await logged({ refused: true })
    assert.equal(found.endpoint, '/emails')
    assert.equal(found.status, 422)
    assert.equal(found.error, error?.name)
    assert.match(found.userAgent!, /^resend-node/)
    assert.equal(found.address, '127.0.0.1')
    const { data } = await resend.logs.get(found.id)
    assert.equal(data?.object, 'log')
    assert.equal(data?.response_status, 422)
    assert.deepEqual(data?.request_body, {
      ...{ from: 'not an address', to: 'b@x.test', subject: '[15 characters]', text: '[18 characters]' },
    })
    const { name } = data!.response_body as { name: string }
    assert.equal(name, error?.name)
  })

  test('has an accepted message with the id of its email', async () => {
    const sent = await resend.emails.send({ from: 'a@logged.test', to: 'b@x.test', subject: 's', text: 't' })
    const found = await logged({ refused: false, endpoint: '/emails' })
    assert.deepEqual(JSON.parse(found.response!), { id: sent.data!.id })
    assert.equal(found.request, null)
    const { data } = await resend.logs.list()
    assert.ok(data?.data.some(({ id }) => id === found.id))
  })

  test('keeps no token of a new key', async () => {
    const made = await resend.apiKeys.create({ name: 'Shop' })
    const found = await logged({ endpoint: '/api-keys' })
    assert.ok(!JSON.stringify(found).includes(made.data!.token))
  })

  test('has a refused message of the form dialect, of both kinds of forms', async () => {
    const authorization = `Basic ${Buffer.from(`api:${token}`).toString('base64')}`
    const form = new FormData()
    for (const [name, value] of Object.entries({ from: 'nobody', to: 'b@x.test', text: 'content' }))
      form.append(name, value)
    for (const body of [form, new URLSearchParams({ from: 'nobody', to: 'b@x.test', text: 'content' })]) {
      const before = await service.store.apiRequests({ companyId, endpoint: '/v3', limit: 1 })
      const reply = await post('/v3/logged.test/messages', body, { authorization })
      assert.equal(reply.status, 400)
      const [found] = await until(async () => {
        const now = await service.store.apiRequests({ companyId, endpoint: '/v3', limit: 1 })
        return now[0]?.id !== before[0]?.id && now
      }, 'the refused form')
      assert.deepEqual(JSON.parse(found!.request!), {
        ...{ from: 'nobody', to: 'b@x.test', text: '[7 characters]' },
      })
      assert.match(found!.error!, /^[a-z_]+$/)
    }
  })

  test('shows a company nothing of another one, and nothing at all to a key for one domain', async () => {
    const other = await service.tenant('elsewhere.test')
    const { token: stranger } = await service.key(other.company.id, { scopes: ['reading'] })
    const own = await logged({ refused: true })
    const foreign = new Resend(stranger, { baseUrl: service.url })
    assert.equal((await foreign.logs.get(own.id)).error?.name, 'not_found')
    assert.deepEqual((await foreign.logs.list()).data?.data, [])
    const { domains } = await service.store.accounts()
    const domainId = domains.find(({ name }) => name === 'logged.test')!.id
    const { token: bound } = await service.key(companyId, { scopes: ['reading'], domainId })
    const headers = { authorization: `Bearer ${bound}` }
    assertJsonError(
      await call(`${service.url}/logs`, { headers }),
      403,
      'restricted_api_key',
      /one domain only/,
    )
  })

  test('has a request with an unknown key for operators only', async () => {
    const unknown = `pr_${'a'.repeat(32)}`
    await post('/emails', '{}', { authorization: `Bearer ${unknown}`, 'content-type': 'application/json' })
    const found = await until(
      async () =>
        (await service.store.apiRequests({ companyId: null, limit: 50 })).find(
          (each) => each.companyId === null,
        ),
      'the request with an unknown key',
    )
    assert.equal(found.status, 401)
    assert.ok(!JSON.stringify(found).includes(unknown))
  })

  test('a flood of refusals of one company leaves room for those of another', async () => {
    const other = await service.tenant('calm.test')
    const calm = await service.key(other.company.id, { scopes: ['sending'] })
    const refuse = (key: string, index: number) =>
      post(`/emails`, `{"from":"f${index}"}`, {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
      })
    for (let index = 0; index < 10; index++) {
      await Promise.all(Array.from({ length: 40 }, (_, each) => refuse(token, index * 40 + each)))
    }
    await refuse(calm.token, 0)
    const found = await until(
      async () => (await service.store.apiRequests({ companyId: other.company.id, limit: 1 })).at(0),
      'the refusal of the other company',
    )
    assert.equal(found.refused, true)
  })
})
