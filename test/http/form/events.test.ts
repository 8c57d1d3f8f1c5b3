/** The Events API of the form dialect: filters, expressions, and pages that a poller follows without end. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call } from '../requests.ts'
import { newestClient, oldClient } from './clients.ts'

interface Item extends Record<string, unknown> {
  id: string
  event: string
  recipient: string
  timestamp: number
}
interface Page {
  items: Item[]
  paging: { next: string; previous: string; first: string; last: string }
}

describe('events of the form dialect', () => {
  let service: Service
  let key: string
  let api: Api

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('events.test')
    await service.domain(tenant.company.id, 'other.test')
    key = tenant.key.token
    api = new Api(service.url, key)
  })
  after(() => service.close())

  const get = async (path: string, token = key): Promise<Page> => {
    const url = path.startsWith('http') ? path : `${service.url}${path}`
    const reply = await call(url, { headers: { authorization: basic(token) } })
    assert.equal(reply.status, 200, reply.text)
    return reply.body as unknown as Page
  }
  const query = (values: Record<string, string>) =>
    get(`/v3/events.test/events?${new URLSearchParams(values)}`)
  const send = async (fields: [string, string][], domain = 'events.test') => {
    const from: [string, string] = ['from', `me@${domain}`]
    const reply = await api.form(domain, [from, ['text', 'x'], ...fields])
    assert.equal(reply.status, 200, reply.text)
    return String(reply.body.id)
  }
  /** Resolves when each of them has so many events. */
  const happened = async (values: Record<string, string>, count: number): Promise<Item[]> => {
    return await until(
      async () => {
        const { items } = await query({ ...values, ascending: 'yes' })
        return items.length >= count && items
      },
      `${count} events of ${JSON.stringify(values)}`,
    )
  }

  test('a poller with Ghost’s requests reads each event once, also those that come later', async () => {
    const begin = (Date.now() / 1000 - 1).toFixed(3)
    for (const name of ['ann', 'ben', 'cat']) {
      await send([
        ['to', `${name}@ghost.test`],
        ['subject', 'Letter'],
        ['v:email-id', 'e1'],
        ['o:tag', 'bulk-email'],
        ['o:tag', 'ghost-email'],
      ])
    }
    await send([
      ['to', 'not@ghost.test'],
      ['subject', 'Sign in'],
    ])
    await happened({ tags: 'bulk-email', event: 'delivered' }, 3)

    const asked = new URLSearchParams({
      limit: '2',
      event: 'delivered OR opened OR failed OR unsubscribed OR complained',
      tags: 'bulk-email',
      begin,
      ascending: 'yes',
    })
    const seen: Item[] = []
    let url = `/v3/events.test/events?${asked}`
    const poll = async () => {
      for (;;) {
        const { items, paging } = await get(url)
        const next = new URL(paging.next)
        // As Ghost and its client ask: the last part of the path, on their own base, with the same query again.
        const token = next.pathname.split('/').pop()
        url = `/v3/events.test/events/${token}?${asked}`
        if (items.length === 0) return
        seen.push(...items)
      }
    }
    await poll()
    assert.deepEqual(
      seen.map(({ recipient, event }) => [recipient, event]),
      [
        ['ann@ghost.test', 'delivered'],
        ['ben@ghost.test', 'delivered'],
        ['cat@ghost.test', 'delivered'],
      ],
    )
    const [first] = seen
    assert.deepEqual(first!['user-variables'], { 'email-id': 'e1' })
    assert.deepEqual(first!.tags, ['bulk-email', 'ghost-email'])
    const { headers } = first!.message as { headers: Record<string, string> }
    assert.match(headers['message-id']!, /^[^<>]+@events\.test$/)
    assert.ok(Math.abs(first!.timestamp - Date.now() / 1000) < 60)
    assert.equal(typeof (first!['delivery-status'] as { code: unknown }).code, 'number')

    await send([
      ['to', 'dan@ghost.test'],
      ['subject', 'Letter'],
      ['o:tag', 'bulk-email'],
    ])
    await happened({ recipient: 'dan@ghost.test', event: 'delivered' }, 1)
    await poll()
    assert.deepEqual(
      seen.slice(3).map(({ recipient }) => recipient),
      ['dan@ghost.test'],
    )
    assert.equal(new Set(seen.map(({ id }) => id)).size, 4)
  })

  test('every filter narrows the events', async () => {
    const id = await send([
      ['to', '"Fox, Fay" <Fay@filter.test>'],
      ['subject', 'Yellow "brick" road'],
      ['o:tag', 'oz'],
    ])
    await send([
      ['to', 'gus@filter.test'],
      ['subject', 'Green road'],
    ])
    await happened({ subject: 'road', event: 'delivered' }, 2)
    const cases: [filters: Record<string, string>, recipients: string[]][] = [
      [{ recipient: 'fay@filter.test' }, ['Fay@filter.test']],
      [{ recipient: 'FAY@filter.test OR gus@filter.test' }, ['Fay@filter.test', 'gus@filter.test']],
      [{ subject: '"yellow \\"brick\\""' }, ['Fay@filter.test']],
      [{ subject: 'road NOT yellow' }, ['gus@filter.test']],
      [{ to: 'fox' }, ['Fay@filter.test']],
      [{ from: 'me@events.test', subject: 'green' }, ['gus@filter.test']],
      [{ 'message-id': id.slice(1, -1) }, ['Fay@filter.test']],
      [{ 'message-id': id }, ['Fay@filter.test']],
      [{ tags: 'oz' }, ['Fay@filter.test']],
      [{ subject: 'road', size: '<100' }, []],
      [{ subject: 'road', size: '>100 AND <100000' }, ['Fay@filter.test', 'gus@filter.test']],
      [{ subject: 'road', severity: 'permanent' }, []],
      [{ subject: 'road', attachment: 'x' }, []],
      [{ subject: 'road', event: 'stored' }, []],
    ]
    for (const [filters, recipients] of cases) {
      const { items } = await query({ event: 'delivered', ascending: 'yes', ...filters })
      assert.deepEqual(
        items.map(({ recipient }) => recipient),
        recipients,
        JSON.stringify(filters),
      )
    }
    const { items } = await query({ subject: 'road', ascending: 'yes' })
    assert.deepEqual(new Set(items.map(({ event }) => event)), new Set(['accepted', 'delivered']))
  })

  test('pages go in both directions, newest first by default', async () => {
    const names = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => `${name}@pages.test`)
    for (const to of names)
      await send([
        ['to', to],
        ['o:tag', 'pages'],
      ])
    await happened({ tags: 'pages', event: 'delivered' }, 5)
    const known = { tags: 'pages', event: 'delivered', limit: '2' }
    const whole = await query({ ...known, limit: '300', ascending: 'yes' })
    const order = whole.items.map(({ recipient }) => recipient)
    assert.deepEqual(new Set(order), new Set(names))
    const shown = ({ items }: Page) => items.map(({ recipient }) => recipient)

    const one = await query({ ...known, ascending: 'yes' })
    assert.deepEqual(shown(one), order.slice(0, 2))
    const two = await get(one.paging.next)
    assert.deepEqual(shown(two), order.slice(2, 4))
    assert.deepEqual(shown(await get(two.paging.previous)), order.slice(0, 2))
    assert.deepEqual(shown(await get(two.paging.first)), order.slice(0, 2))
    assert.deepEqual(shown(await get(two.paging.last)), order.slice(3, 5))

    const newest = await query(known)
    assert.deepEqual(shown(newest), order.toReversed().slice(0, 2))
    const older = await get(newest.paging.next)
    assert.deepEqual(shown(older), order.toReversed().slice(2, 4))
    assert.deepEqual(shown(await get(older.paging.previous)), order.toReversed().slice(0, 2))
    const oldest = await get(older.paging.next)
    assert.deepEqual(shown(oldest), order.slice(0, 1))
    const beyond = await get(oldest.paging.next)
    assert.deepEqual(shown(beyond), [])
    assert.ok(URL.canParse(beyond.paging.next))
  })

  test('a page has at most 300 events, also a further one', async () => {
    const to = Array.from({ length: 302 }, (_, n): [string, string] => ['to', `m${n}@many.test`])
    await send([...to, ['o:tag', 'many']])
    const known = { tags: 'many', event: 'delivered', ascending: 'yes' }
    await until(async () => {
      const { items, paging } = await query({ ...known, limit: '300' })
      return items.length === 300 && (await get(paging.next)).items.length === 2
    }, 'the events of 302 recipients')
    const pages: [limit: string | null, events: number][] = [
      [null, 100],
      ['1', 1],
      ['299', 299],
      ['300', 300],
      ['301', 300],
      ['999999', 300],
    ]
    for (const [limit, events] of pages) {
      const { items, paging } = await query(limit === null ? known : { ...known, limit })
      assert.equal(items.length, events, `limit=${limit}`)
      if (events < 300) continue
      const rest = (await get(paging.next)).items
      const recipients = [...items, ...rest].map(({ recipient }) => recipient)
      assert.deepEqual([rest.length, new Set(recipients).size], [2, 302])
    }
  })

  test('times restrict it, as dates or as seconds', async () => {
    const begin = Date.now()
    await send([
      ['to', 'now@times.test'],
      ['o:tag', 'times'],
    ])
    await happened({ tags: 'times', event: 'delivered' }, 1)
    const seconds = (at: number) => (at / 1000).toFixed(3)
    const shown = async (values: Record<string, string>) =>
      (await query({ tags: 'times', event: 'delivered', ...values })).items.length
    assert.equal(await shown({ begin: seconds(begin - 1_000) }), 1)
    assert.equal(await shown({ begin: new Date(begin - 2_000).toUTCString() }), 1)
    assert.equal(await shown({ begin: seconds(Date.now() + 60_000), ascending: 'yes' }), 0)
    assert.equal(await shown({ begin: seconds(begin - 60_000), end: seconds(begin - 30_000) }), 0)
    assert.equal(await shown({ begin: seconds(Date.now() + 1_000), end: seconds(begin - 1_000) }), 1)
  })

  test('published clients page through it', async () => {
    for (const to of ['c1', 'c2', 'c3'])
      await send([
        ['to', `${to}@clients.test`],
        ['o:tag', 'clients'],
      ])
    await happened({ tags: 'clients', event: 'delivered' }, 3)
    const mg = newestClient(service.url, key)
    const found: string[] = []
    const known = { tags: 'clients', event: 'delivered', limit: 2, ascending: 'yes' as const }
    let page = await mg.events.get('events.test', known)
    while (page.items.length > 0) {
      found.push(...page.items.map(({ recipient }) => String(recipient)))
      page = await mg.events.get('events.test', { ...known, page: page.pages.next!.page! })
    }
    assert.deepEqual(new Set(found), new Set(['c1', 'c2', 'c3'].map((name) => `${name}@clients.test`)))
    const old = oldClient(service.url, key, 'events.test')
    const { items } = await old.get('/events.test/events', { event: 'delivered', tags: 'clients' })
    assert.equal((items as unknown[]).length, 3)
  })

  test('a domain shows only its own events, and those of another company are not found', async () => {
    await send(
      [
        ['to', 'x@own.test'],
        ['o:tag', 'own'],
      ],
      'other.test',
    )
    const { items } = await query({ tags: 'own' })
    assert.deepEqual(items, [])
    const stranger = (await service.tenant('stranger.test')).key.token
    const asked = (path: string, token: string) =>
      call(`${service.url}${path}`, { headers: { authorization: basic(token) } })
    assertFormError(await asked('/v3/events.test/events', stranger), 404, 'Domain not found: events.test')
    const { paging } = await query({})
    const token = new URL(paging.next).pathname.split('/').pop()
    assertFormError(await asked(`/v3/stranger.test/events/${token}`, stranger), 400, /page does not exist/)
    assert.doesNotMatch(Buffer.from(token!, 'base64url').toString('latin1'), /after|upTo/)
  })

  test('an invalid query is refused with the reason', async () => {
    const asked = (path: string) =>
      call(`${service.url}/v3/events.test/events${path}`, { headers: { authorization: basic(key) } })
    assertFormError(await asked('?begin=yesterday'), 400, /begin.* RFC 2822/)
    assertFormError(await asked('?event=(a'), 400, /event.* not closed/)
    assertFormError(await asked('?limit=0'), 400, /limit.* must be 1 or more/)
    assertFormError(await asked('?limit=abc'), 400, /limit.* must be a whole number/)
    assertFormError(await asked('?ascending=perhaps'), 400, /ascending/)
    assertFormError(await asked('/nonsense'), 400, /page does not exist/)
    assertFormError(
      await asked(`/${Buffer.from('["a",-1,{}]').toString('base64url')}`),
      400,
      /page does not exist/,
    )
    assertFormError(await asked(`/${Buffer.from('["a",1,{"x":"y"}]').toString('base64url')}`), 400)
  })
})
