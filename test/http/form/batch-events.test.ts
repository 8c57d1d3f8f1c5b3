/** Events about recipients of a batch show each one's own message, and nothing of the others. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { addWebhook } from '../../../src/operate/webhooks.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { type Received, Receiver } from '../../webhooks/receiver.ts'
import { Api, basic, call } from '../requests.ts'

interface Item extends Record<string, unknown> {
  id: string
  event: string
  recipient: string
  method?: string
  'user-variables': Record<string, string>
  message: { headers: Record<string, string>; recipients: string[]; size: number }
  envelope: { targets: string }
  storage: { url: string; key: string }
}
interface Page {
  items: Item[]
  paging: { next: string; previous: string; first: string; last: string }
}

/** Express takes no larger body by default. */
const BODY_PARSER_LIMIT = 100 * 1024
const DOMAIN = 'batch.test'

describe('events of a batch', () => {
  let service: Service
  let key: string
  let companyId: string
  let api: Api

  before(async () => {
    service = await startService({ allowPrivateNetworks: true })
    const { company } = await service.tenant(DOMAIN)
    companyId = company.id
    const scopes = ['management', 'reading', 'sending'] as const
    key = (await service.key(companyId, { scopes: [...scopes] })).token
    api = new Api(service.url, key)
  })
  after(() => service.close())

  const get = async <Body>(path: string, headers: Record<string, string> = {}): Promise<Body> => {
    const url = path.startsWith('http') ? path : `${service.url}${path}`
    const reply = await call(url, { headers: { authorization: basic(key), ...headers } })
    assert.equal(reply.status, 200, reply.text)
    return reply.body as Body
  }
  /** All pages, as a poller follows them; and the octets of their answers. */
  const poll = async (query: Record<string, string>) => {
    const pages: Item[][] = []
    let octets = 0
    for (let path = `/v3/${DOMAIN}/events?${new URLSearchParams(query)}`; ; ) {
      const page = await get<Page>(path)
      octets += Buffer.byteLength(JSON.stringify(page))
      if (page.items.length === 0) return { pages, items: pages.flat(), octets }
      pages.push(page.items)
      path = `${page.paging.next}?${new URLSearchParams(query)}`
    }
  }
  const delivered = (tags: string, count: number) =>
    until(async () => {
      const { items } = await poll({ limit: '300', event: 'delivered', tags, ascending: 'yes' })
      return items.length === count && items
    }, `${count} deliveries`)

  const send = async (fields: [string, string][]) => {
    const reply = await api.form(DOMAIN, [['from', `News <news@${DOMAIN}>`], ...fields])
    assert.equal(reply.status, 200, reply.text)
  }
  /** As Ghost does it, a thousand recipients a request. */
  const newsletter = async (members: readonly string[], tag: string, values: (n: number) => object) => {
    for (let from = 0; from < members.length; from += 1_000) {
      const some = members.slice(from, from + 1_000)
      const variables = some.map((member, at) => [addressOf(member), values(from + at)])
      await send([
        ...some.map((member): [string, string] => ['to', member]),
        ['subject', 'Hi %recipient.name%'],
        ['html', `<p>Dear %recipient.name%, ${'this is the news. '.repeat(500)}</p>`],
        ['text', `Dear %recipient.name%, ${'this is the news. '.repeat(500)}`],
        ['recipient-variables', JSON.stringify(Object.fromEntries(variables))],
        ['h:List-Unsubscribe', '<%recipient.list_unsubscribe%>, <%tag_unsubscribe_email%>'],
        ['h:Message-Id', `<%recipient.message_id%@${DOMAIN}>`],
        ['v:email-id', 'e1'],
        ['v:member', '%recipient.uuid%'],
        ['o:tag', tag],
        ['o:tag', 'ghost-email'],
      ])
    }
  }
  const ghostValues = (n: number) => ({
    name: `Reader ${n}`,
    uuid: `uuid-${n}`,
    message_id: `copy-${n}`,
    list_unsubscribe: `https://ghost.test/unsubscribe/?uuid=uuid-${n}&key=${'k'.repeat(64)}&newsletter=n`,
    unsubscribe_url: `https://ghost.test/unsubscribe/?uuid=uuid-${n}&key=${'k'.repeat(64)}`,
    first_name: 'Reader',
    status: 'free',
    created_at: '1 January 2026',
  })

  test('a newsletter to 1,200 members is polled in less than 3 MB', async () => {
    const begin = String(Date.now() / 1000 - 1)
    const members = Array.from({ length: 1_200 }, (_, n) => `Reader <reader.${n}@Members.Example>`)
    await newsletter(members, 'bulk-email', ghostValues)
    await delivered('bulk-email', 1_200)
    const window = { limit: '300', tags: 'bulk-email', begin, ascending: 'yes' }
    const end = String(Date.now() / 1000 + 60)
    const opened = await poll({ ...window, event: 'opened', end })
    const told = await poll({ ...window, event: 'delivered OR failed OR unsubscribed OR complained', end })
    assert.equal(told.pages[0]!.length, 300, 'a page is full')
    assert.equal(new Set(told.items.map(({ recipient }) => recipient)).size, 1_200)
    // An older window, once more.
    const again = await poll({
      ...window,
      event: 'delivered OR opened OR failed OR unsubscribed OR complained',
      begin: String(Number(begin) - 3_600),
      end,
    })
    assert.equal(again.items.length, 1_200)
    const octets = opened.octets + told.octets + again.octets
    assert.ok(octets < 3_000_000, `${octets} octets`)

    const item = told.items.find(({ recipient }) => recipient === 'reader.1017@Members.Example')!
    assert.equal(item.message.headers.to, 'Reader <reader.1017@Members.Example>')
    assert.equal(item.message.headers.subject, 'Hi Reader 1017')
    assert.equal(item.message.headers['message-id'], `copy-1017@${DOMAIN}`)
    assert.deepEqual(item['user-variables'], { 'email-id': 'e1', member: 'uuid-1017' })
    assert.deepEqual(item.message.recipients, ['reader.1017@Members.Example'])

    // Each was accepted, and none is counted or shown twice.
    const accepted = await poll({ ...window, event: 'accepted', limit: '250' })
    assert.ok(accepted.pages.every(({ length }) => length <= 250))
    const addresses = new Set(accepted.items.map(({ recipient }) => recipient))
    assert.equal(accepted.items.length, 1_200)
    assert.equal(addresses.size, 1_200)
    assert.equal(new Set(accepted.items.map(({ id }) => id)).size, 1_200)
    assert.ok(accepted.items.every(({ method }) => method === 'HTTP'))
    // The same from the other end, in odd pages, and back again.
    const falling = await poll({ tags: 'bulk-email', event: 'accepted', limit: '70', ascending: 'no' })
    assert.deepEqual(
      falling.items.map(({ id }) => id),
      accepted.items.map(({ id }) => id).toReversed(),
    )
    const ascending = { event: 'accepted', limit: '110', ascending: 'yes' }
    const first = await get<Page>(`/v3/${DOMAIN}/events?${new URLSearchParams(ascending)}`)
    const second = await get<Page>(first.paging.next)
    const back = await get<Page>(second.paging.previous)
    assert.deepEqual(
      back.items.map(({ id }) => id),
      first.items.map(({ id }) => id),
    )
    const stats = await get<{ stats: { accepted: { total: number } }[] }>(
      `/v3/${DOMAIN}/stats/total?event=accepted&duration=1d`,
    )
    assert.equal(
      stats.stats.reduce((sum, { accepted }) => sum + accepted.total, 0),
      1_200,
    )
  })

  test('one event has at most 4 KB, however many other recipients there are; its message is the copy', async () => {
    const name = 'An uncommonly long name '.repeat(20)
    const members = Array.from({ length: 1_000 }, (_, n) =>
      n === 0 ? 'me@one.test' : `${name}${n} <other-${n}@many.test>`,
    )
    await newsletter(members, 'long-names', ghostValues)
    const events = await delivered('long-names', 1_000)
    const mine = events.find(({ recipient }) => recipient === 'me@one.test')!
    assert.ok(JSON.stringify(mine).length < 4_096)
    assert.ok(!JSON.stringify(mine).includes('many.test'))
    const { body } = await call(mine.storage.url, { headers: { authorization: basic(key) } })
    assert.equal(body.recipients, 'me@one.test')
    assert.equal(body.subject, 'Hi Reader 0')
    assert.match(String(body['body-plain']), /^Dear Reader 0, /)
    const raw = await get<Record<string, string>>(mine.storage.url, { accept: 'message/rfc2822' })
    const mime = raw['body-mime']!
    assert.match(mime, /^To: me@one\.test\r$/m)
    assert.ok(!JSON.stringify(raw).includes('many.test'))
    assert.ok(
      mine.message.size > mime.length * 0.7 && mine.message.size < mime.length * 1.5 + 2_000,
      `${mine.message.size} and ${mime.length}`,
    )
  })

  test('webhooks of both dialects report each recipient with its own message, small enough for any server', async () => {
    await using receiver = await Receiver.start()
    const { store, settings, app } = service
    const op = operationOn(settings, store, OPERATOR, await store.accounts(), { seal: app.seal })
    for (const dialect of ['json', 'form'] as const) {
      await addWebhook(op, { company: companyId, url: `${receiver.url}/${dialect}`, dialect })
    }
    const name = 'Long name '.repeat(90)
    const members = Array.from({ length: 130 }, (_, n) => `${name}${n} <hook-${n}@Hooks.Example>`)
    await newsletter(members, 'hooked', ghostValues)
    const of = (received: Received[], dialect: string) =>
      received.filter(({ path }) => path.endsWith(dialect)).map(({ body }) => JSON.parse(body))
    const received = await receiver.until(
      (all) => of(all, 'json').length >= 260 && of(all, 'form').length >= 260,
    )
    assert.ok(received.every(({ body }) => body.length < 8_192 && body.length < BODY_PARSER_LIMIT))
    for (const word of ['email.sent', 'email.delivered']) {
      const told = of(received, 'json').filter(({ type }) => type === word)
      assert.deepEqual(told.map(({ data }) => data.to[0]).sort(), members.toSorted())
      assert.ok(told.every(({ data }) => data.to.length === 1))
      const one = told.find(({ data }) => data.to[0] === members[77])!
      assert.equal(one.data.subject, 'Hi Reader 77')
      assert.equal(one.data.message_id, `<copy-77@${DOMAIN}>`)
    }
    for (const word of ['accepted', 'delivered']) {
      const told = of(received, 'form').filter(({ 'event-data': { event } }) => event === word)
      const addresses = told.map(({ 'event-data': data }) => (data as Item).recipient)
      assert.deepEqual(addresses.sort(), members.map(addressOf).toSorted())
      const one = told.find(({ 'event-data': { recipient } }) => recipient === 'hook-77@Hooks.Example')!
      const { message, storage } = one['event-data'] as Item
      assert.equal(message.headers.to, members[77])
      assert.deepEqual(message.recipients, ['hook-77@Hooks.Example'])
      assert.ok(storage.url.startsWith(service.url), storage.url)
      const stored = await get<{ subject: string }>(storage.url)
      assert.equal(stored.subject, 'Hi Reader 77')
    }
    const ids = received.filter(({ path }) => path.endsWith('json')).map(({ headers }) => headers['svix-id'])
    assert.equal(new Set(ids).size, 260)
  })

  test('events of mail to many visible recipients name the first fifty, and each its own address', async () => {
    const many = Array.from({ length: 700 }, (_, n) => `Person ${n} <p${n}@Visible.Example>`)
    await send([
      ...many.map((to): [string, string] => ['to', to]),
      ['subject', 'Meeting'],
      ['text', 'x'],
      ['o:tag', 'visible'],
    ])
    const events = await delivered('visible', 700)
    assert.equal(new Set(events.map(({ recipient }) => recipient)).size, 700)
    const last = events.find(({ recipient }) => recipient === 'p699@Visible.Example')!
    assert.deepEqual(last.message.recipients, many.slice(0, 50).map(addressOf))
    assert.equal(last.message.headers.to, many.slice(0, 50).join(', '))
    assert.ok(events.every((event) => JSON.stringify(event).length < 8_192))
    const page = await get<Page>(`/v3/${DOMAIN}/events?limit=300&event=delivered&tags=visible`)
    assert.equal(page.items.length, 300)
  })

  test('a recipient is spelt as the sender spelt it', async () => {
    await send([
      ['to', 'Ada Lovelace <Ada@Spelling.Example>'],
      ['to', 'ben@bücher.example'],
      ['cc', 'Cy@SPELLING.example'],
      ['subject', 'x'],
      ['text', 'x'],
      ['o:tag', 'spelling'],
    ])
    await delivered('spelling', 3)
    const { items } = await poll({ tags: 'spelling', ascending: 'yes' })
    const told = items.map(({ event, recipient, envelope }) => [event, recipient, envelope.targets])
    const each = ['Ada@Spelling.Example', 'ben@bücher.example', 'Cy@SPELLING.example']
    for (const event of ['accepted', 'delivered']) {
      for (const recipient of each) {
        assert.ok(
          told.some((one) => one.join() === [event, recipient, recipient].join()),
          `${event} ${recipient}: ${JSON.stringify(told)}`,
        )
      }
    }
    assert.equal(items.length, 6)
    for (const recipient of ['ADA@spelling.example', 'ben@xn--bcher-kva.example', 'ben@bücher.example']) {
      const found = await poll({ recipient, ascending: 'yes', tags: 'spelling' })
      assert.equal(found.items.length, 2, recipient)
    }
  })
})

function addressOf(mailbox: string): string {
  return /<(.*)>/.exec(mailbox)?.[1] ?? mailbox
}
