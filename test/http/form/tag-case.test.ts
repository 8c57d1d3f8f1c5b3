/** Tags in the form dialect: their case does not matter, and webhooks get all tags of an email. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Receiver } from '../../webhooks/receiver.ts'
import { Api, basic, call } from '../requests.ts'
import { newestClient, oldClient } from './clients.ts'

const DOMAIN = 'tagged.test'

describe('tags', () => {
  let service: Service
  let token: string
  let mg: ReturnType<typeof newestClient>

  before(async () => {
    service = await startService({ allowPrivateNetworks: true })
    const { company } = await service.tenant(DOMAIN)
    token = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
    mg = newestClient(service.url, token)
  })
  after(() => service.close())

  const send = (to: string, tags: string[]) =>
    mg.messages.create(DOMAIN, { from: `a@${DOMAIN}`, to, subject: 's', text: 't', 'o:tag': tags })
  const get = (path: string) =>
    call(`${service.url}/v3/${DOMAIN}/${path}`, { headers: { authorization: basic(token) } })

  test('several o:tag fields all appear in a webhook of the JSON dialect', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    const made = await call(`${service.url}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: receiver.url, events: ['email.delivered'] }),
    })
    assert.equal(made.status, 201, made.text)
    await send('several@x.test', ['letter', 'autumn'])
    const api = new Api(service.url, token)
    await api.accepted({
      ...{ from: `a@${DOMAIN}`, to: 'named@x.test', text: 't' },
      tags: [
        { name: 'kind', value: 'order' },
        { name: 'shop', value: 'north' },
      ],
    })
    const received = await receiver.until(({ length }) => length === 2)
    const told = received.map(({ body }) => JSON.parse(body).data as { to: string[]; tags: object })
    const tagsTo = (address: string) => told.find(({ to }) => to[0] === address)?.tags
    assert.deepEqual(tagsTo('several@x.test'), { tag: 'letter,autumn' })
    assert.deepEqual(tagsTo('named@x.test'), { kind: 'order', shop: 'north' })
  })

  test('are found, described, counted and removed in any case, and shown as they were first spelt', async () => {
    await send('one@x.test', ['T1', 'News'])
    await send('two@x.test', ['t1'])
    await until(async () => {
      const { items } = await mg.events.get(DOMAIN, { event: 'delivered', tags: 'T1' })
      return items.length === 2
    }, 'both events')
    for (const tags of ['t1', 'T1', 't1 OR news']) {
      const { items } = await mg.events.get(DOMAIN, { event: 'delivered', tags })
      assert.deepEqual(items.map(({ recipient }) => recipient).toSorted(), ['one@x.test', 'two@x.test'], tags)
    }
    const { items } = await mg.events.get(DOMAIN, { event: 'delivered', tags: 'NEWS' })
    assert.deepEqual(items[0]!.tags, ['T1', 'News'], 'as they were given')

    await until(async () => {
      const { body } = await get('tags/t1/stats?event=accepted&duration=1d')
      const stats = body.stats as { accepted: { total: number } }[] | undefined
      return stats?.some(({ accepted }) => accepted.total === 2)
    }, 'both to be counted')
    const tags = mg.domains.domainTags
    const listed = (await tags.list(DOMAIN)).items.map(({ tag }) => tag)
    assert.deepEqual(
      listed.filter((tag) => /^(t1|news)$/i.test(tag)),
      ['News', 'T1'],
    )
    assert.equal((await tags.get(DOMAIN, 't1')).tag, 'T1')
    await tags.update(DOMAIN, 'nEWS', 'weekly')
    assert.equal((await tags.get(DOMAIN, 'news')).description, 'weekly')
    assert.equal((await tags.destroy(DOMAIN, 't1')).message, 'Tag deleted')
    assert.equal((await get('tags/T1')).status, 404)
    const old = oldClient(service.url, token, DOMAIN)
    assert.equal((await old.delete(`/${DOMAIN}/tags/NEWS`)).message, 'Tag deleted')
    assert.equal((await get('tags/News')).status, 404)
  })
})
