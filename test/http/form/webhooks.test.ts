/** Webhooks and the signing key in the form dialect, as its clients keep them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Enums } from 'mailgun.js/definitions'
import type { Company } from '../../../src/accounts/account.ts'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { addWebhook } from '../../../src/operate/webhooks.ts'
import { type Service, startService } from '../../support/service.ts'
import { Receiver } from '../../webhooks/receiver.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'
import { newestClient, oldClient } from './clients.ts'

const ONE = 'https://one.example/hook'
const TWO = 'https://two.example/hook'

describe('webhooks of the form dialect', () => {
  let service: Service
  let company: Company
  let key: string
  let mg: ReturnType<typeof newestClient>

  before(async () => {
    service = await startService({ allowPrivateNetworks: true })
    company = (await service.tenant('hooks.test')).company
    key = (await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })).token
    mg = newestClient(service.url, key)
  })
  after(() => service.close())

  const ask = (method: string, path: string, fields?: [string, string][]): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method,
      headers: { authorization: basic(key) },
      ...(fields && { body: new URLSearchParams(fields) }),
    })

  test('are created, shown, changed and removed by event', async () => {
    const made = await mg.webhooks.create('hooks.test', 'clicked', ONE, false)
    assert.deepEqual({ ...made }, { id: 'clicked', url: ONE, urls: [ONE] })
    await mg.webhooks.create('hooks.test', 'delivered', ONE, false)
    const listed = await mg.webhooks.list('hooks.test', {})
    assert.deepEqual(listed, { clicked: { urls: [ONE] }, delivered: { urls: [ONE] } })
    await mg.webhooks.update('hooks.test', 'clicked', [ONE, TWO])
    const shown = await mg.webhooks.get('hooks.test', 'clicked' as Enums.WebhooksIds)
    assert.deepEqual(shown.urls!.toSorted(), [ONE, TWO])
    await mg.webhooks.destroy('hooks.test', 'clicked')
    assert.deepEqual(await mg.webhooks.list('hooks.test', {}), { delivered: { urls: [ONE] } })

    const path = '/v3/domains/hooks.test/webhooks'
    assertFormError(await ask('GET', `${path}/clicked`), 404, 'Webhook not found')
    assertFormError(await ask('DELETE', `${path}/clicked`), 404, 'Webhook not found')
    const delivered: [string, string] = ['id', 'delivered']
    assertFormError(await ask('POST', path, [delivered, ['url', TWO]]), 400, 'Webhook already exists')
    assertFormError(
      await ask('POST', path, [
        ['id', 'eaten'],
        ['url', TWO],
      ]),
      400,
      /no event "eaten"/,
    )
    assertFormError(
      await ask('POST', path, [
        ['id', 'opened'],
        ['url', 'nowhere'],
      ]),
      400,
    )
  })

  test('have many events at once by URL', async () => {
    const path = '/v4/domains/hooks.test/webhooks'
    const made = await ask('POST', path, [
      ['url', TWO],
      ['event_types', 'opened,permanent_fail'],
    ])
    assert.deepEqual(made.body.webhooks, {
      delivered: { urls: [ONE] },
      opened: { urls: [TWO] },
      permanent_fail: { urls: [TWO] },
    })
    const changed = await ask('PUT', path, [
      ['url', TWO],
      ['event_types', 'accepted'],
    ])
    assert.deepEqual(changed.body.webhooks, { accepted: { urls: [TWO] }, delivered: { urls: [ONE] } })
    const query = new URLSearchParams({ url: `${ONE},${TWO}` })
    assert.deepEqual((await ask('DELETE', `${path}?${query}`)).body.webhooks, {})
    assertFormError(await ask('DELETE', `${path}?${query}`), 404, 'Webhook not found')
  })

  test('of one URL are all shown, changed and removed', async () => {
    const { settings, store, app } = service
    const op = operationOn(settings, store, OPERATOR, await store.accounts(), { seal: app.seal })
    const add = (...events: string[]) =>
      addWebhook(op, { company: company.id, domain: 'hooks.test', dialect: 'form', url: ONE, events })
    const v3 = '/v3/domains/hooks.test/webhooks'
    const v4 = '/v4/domains/hooks.test/webhooks'
    await add('delivered')
    await add('delivered', 'opened')
    const both = { delivered: { urls: [ONE] }, opened: { urls: [ONE] } }
    assert.deepEqual((await ask('GET', v3)).body.webhooks, both)
    // Nobody gets an event type twice, or loses one.
    await ask('PUT', `${v3}/opened`, [['url', ONE]])
    assert.deepEqual((await ask('GET', v3)).body.webhooks, both)
    await ask('DELETE', `${v3}/delivered`)
    assert.deepEqual((await ask('GET', v3)).body.webhooks, { opened: { urls: [ONE] } })
    await add('delivered')
    const changed = await ask('PUT', v4, [
      ['url', ONE],
      ['event_types', 'delivered,clicked'],
    ])
    assert.deepEqual(changed.body.webhooks, { clicked: { urls: [ONE] }, delivered: { urls: [ONE] } })
    assert.deepEqual((await ask('DELETE', `${v4}?url=${ONE}`)).body.webhooks, {})
  })

  test('tell an event type to at most three URLs', async () => {
    const path = '/v4/domains/hooks.test/webhooks'
    const given = (url: string, types: string): [string, string][] => [
      ['url', `https://${url}.example/`],
      ['event_types', types],
    ]
    for (const url of ['a', 'b', 'c'])
      assert.equal((await ask('POST', path, given(url, 'opened'))).status, 200)
    const full = /event_types.*opened can be sent to at most 3 URLs/
    assertFormError(await ask('POST', path, given('d', 'clicked,opened')), 400, full)
    assert.equal((await ask('POST', path, given('d', 'clicked'))).status, 200)
    assertFormError(await ask('PUT', path, given('d', 'opened')), 400, full)
    assert.equal((await ask('PUT', path, given('c', 'opened,clicked'))).status, 200)
    for (const url of ['a', 'b', 'c', 'd']) await ask('DELETE', `${path}?url=https://${url}.example/`)
    assert.deepEqual((await ask('GET', '/v3/domains/hooks.test/webhooks')).body.webhooks, {})
  })

  test('work with the old client, which accepts their signatures', async () => {
    await using receiver = await Receiver.start()
    const old = oldClient(service.url, key, 'hooks.test')
    const path = '/domains/hooks.test/webhooks'
    const made = await old.post(path, { id: 'delivered', url: receiver.url })
    assert.deepEqual(made.webhook, { urls: [receiver.url] })
    assert.deepEqual((await old.get(path)).webhooks, { delivered: { urls: [receiver.url] } })
    const tried = await mg.webhooks.create('hooks.test', 'delivered', receiver.url, true)
    assert.equal((tried as { code: number }).code, 200)
    await new Api(service.url, key).form('hooks.test', [
      ['from', 'me@hooks.test'],
      ['to', 'you@x.test'],
      ['text', 'x'],
    ])
    const [sample, told] = (await receiver.until((all) => all.length === 2)).map(({ body }) => {
      return JSON.parse(body) as { signature: Record<string, string>; 'event-data': Record<string, unknown> }
    })
    assert.equal(told!['event-data'].recipient, 'you@x.test')
    const { http_signing_key: signingKey } = (await ask('GET', '/v5/accounts/http_signing_key')).body
    const checking = oldClient(service.url, String(signingKey), 'hooks.test')
    for (const { signature } of [sample!, told!]) {
      const { timestamp, token, signature: value } = signature
      assert.equal(checking.validateWebhook(timestamp!, token!, value!), true)
    }
    assert.equal((await old.put(`${path}/delivered`, { url: ONE })).message, 'Webhook has been updated')
    await old.delete(`${path}/delivered`)
    assert.deepEqual((await old.get(path)).webhooks, {})
  })

  test('have the signing key of the company, which can be replaced', async () => {
    const { http_signing_key: first } = (await ask('GET', '/v5/accounts/http_signing_key')).body
    assert.match(String(first), /^\S{16,}$/)
    assert.equal((await ask('GET', '/v5/accounts/http_signing_key')).body.http_signing_key, first)
    const { http_signing_key: second } = (await ask('POST', '/v5/accounts/http_signing_key')).body
    assert.notEqual(second, first)
    assert.equal((await ask('GET', '/v5/accounts/http_signing_key')).body.http_signing_key, second)
  })

  test('large variables of one company’s mail do not delay the webhooks of another', async () => {
    await using receiver = await Receiver.start()
    await mg.webhooks.create('hooks.test', 'delivered', `${receiver.url}own`, false)
    const other = await service.tenant('neighbour.test')
    const manage = await service.key(other.company.id, { scopes: ['management'] })
    const neighbour = newestClient(service.url, manage.token)
    await neighbour.webhooks.create('neighbour.test', 'delivered', `${receiver.url}other`, false)

    const large = 'A'.repeat(1_000_000)
    const sent = await new Api(service.url, key).form('hooks.test', [
      ['from', 'me@hooks.test'],
      ['to', 'you@x.test'],
      ['text', 'x'],
      ['v:small', '%recipient.small% %recipient.constructor%'],
      ['v:large', '%recipient.large%'.repeat(900)],
      ['recipient-variables', JSON.stringify({ 'you@x.test': { small: 'Ann', large } })],
    ])
    assert.equal(sent.status, 200, sent.text)
    const own = (await receiver.until((all) => all.length === 1))[0]!
    const { 'event-data': told } = JSON.parse(own.body) as { 'event-data': Record<string, unknown> }
    assert.deepEqual(told['user-variables'], {
      small: 'Ann %recipient.constructor%',
      large: '%recipient.large%'.repeat(900),
    })
    await new Api(service.url, other.key.token).form('neighbour.test', [
      ['from', 'me@neighbour.test'],
      ['to', 'you@x.test'],
      ['text', 'x'],
    ])
    const [, its] = await receiver.until((all) => all.length === 2)
    assert.match(its!.body, /neighbour\.test/)
  })
})
