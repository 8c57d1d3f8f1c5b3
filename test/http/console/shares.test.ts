/** The limits on simultaneous requests of a company's people, who share them however many they are. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api } from '../requests.ts'
import { Tenant } from './tenant.ts'
import type { Visitor } from './visitor.ts'

/** Of one company, at once, and beside these. */
const UNDER_WAY = 2
const MAY_WAIT = 100

describe('long requests of the console', () => {
  let service: Service
  let many: Tenant
  let other: Tenant
  let viewer: Visitor
  let stranger: Visitor

  before(async () => {
    service = await startService()
    many = await Tenant.make(service, 'Many')
    other = await Tenant.make(service, 'Other')
    viewer = await many.visitor('viewer')
    stranger = await other.visitor('viewer')
  })
  after(() => service?.close())

  /** The store answers the first of these only when the test lets it. */
  function held(
    name: 'walkEmails' | 'countEvents' | 'countRanks' | 'sumEvents' | 'sumBusiest' | 'backlog',
    underWay = UNDER_WAY,
  ) {
    const { store } = service
    const plain = store[name] as (...asked: unknown[]) => Promise<unknown>
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let begun = 0
    const wait: typeof plain = async (...asked) => {
      if (++begun === underWay) reached.resolve()
      if (begun <= underWay) await gate.promise
      return await plain.apply(store, asked)
    }
    Object.assign(store, { [name]: wait } as Partial<Store>)
    return {
      reached: reached.promise,
      begun: () => begun,
      open() {
        gate.resolve()
        Object.assign(store, { [name]: plain })
      },
    }
  }

  for (const [what, name] of [
    ['emails', 'walkEmails'],
    ['overview/volume?span=day', 'countEvents'],
    ['overview/latency?span=day', 'countRanks'],
    ['overview/destinations?span=day', 'sumBusiest'],
    ['overview/domains?span=day', 'sumEvents'],
    ['overview/reasons?span=day', 'sumEvents'],
  ] as const) {
    test(`${what}: one company has few under way at a time, and the requests of another do not wait for them`, async () => {
      const of = ({ company }: Tenant) => `/companies/${company.id}/${what}`
      const gate = held(name)
      const both = Array.from({ length: UNDER_WAY }, () => viewer.ask('GET', of(many)))
      await gate.reached
      assert.equal((await stranger.ask('GET', of(other))).status, 200)
      const before = gate.begun()

      const asked = Array.from({ length: MAY_WAIT + 3 }, () => viewer.ask('GET', of(many)))
      const first = await Promise.race(asked)
      assert.deepEqual(
        [first.status, (first.body.error as { code: string }).code],
        [429, 'too_many_requests'],
      )
      assert.equal(gate.begun(), before)
      gate.open()
      const statuses = (await Promise.all([...both, ...asked])).map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 200).length, UNDER_WAY + MAY_WAIT)
      assert.equal(statuses.filter((status) => status === 429).length, 3)
    })
  }

  test('waiting mail is counted once for all simultaneous requests', async () => {
    const url = `/companies/${many.company.id}/overview/backlog`
    const gate = held('backlog', 1)
    const asked = Array.from({ length: MAY_WAIT + 3 }, () => viewer.ask('GET', url))
    await gate.reached
    assert.equal((await stranger.ask('GET', `/companies/${other.company.id}/overview/backlog`)).status, 200)
    // Once for each company.
    assert.equal(gate.begun(), 2)
    gate.open()
    assert.deepEqual([...new Set((await Promise.all(asked)).map(({ status }) => status))], [200])
  })

  test('a page and a key of the same company take the same turns', async () => {
    const { token } = await service.key(many.company.id)
    const gate = held('walkEmails')
    const asked = Array.from({ length: UNDER_WAY }, () =>
      viewer.ask('GET', `/companies/${many.company.id}/emails`),
    )
    await gate.reached
    const byKey = Array.from({ length: MAY_WAIT + 1 }, () => new Api(service.url, token).get('/emails'))
    assert.equal((await Promise.race(byKey)).status, 429)
    gate.open()
    await Promise.all([...asked, ...byKey])
  })
})

describe('people of one company', () => {
  const open = async (visitor: Visitor, company: string, url: string) => {
    const leaving = new AbortController()
    const { status, body } = await fetch(`${url}/console/api/companies/${company}/live`, {
      headers: { cookie: visitor.cookie },
      signal: leaving.signal,
    })
    return { status, body, leave: () => leaving.abort() }
  }

  test('share the requests under way of one caller', async (t) => {
    // 40 requests.
    const service = await startService({ memory: 40 * 1024 * 1024 })
    t.after(() => service.close())
    const [many, other] = [await Tenant.make(service, 'Many'), await Tenant.make(service, 'Other')]
    const stranger = await other.visitor('viewer')
    const visitors = []
    for (let n = 0; n < 10; n++) visitors.push(await many.visitor('viewer'))
    const gate = Promise.withResolvers<void>()
    const { store } = service
    const { people } = store
    store.people = async (company) => {
      if (company === many.company.id) await gate.promise
      return await people.call(store, company)
    }
    const asked = visitors.flatMap((visitor) =>
      Array.from({ length: 4 }, () => visitor.ask('GET', `/companies/${many.company.id}/team`)),
    )
    const first = await Promise.race(asked)
    assert.equal(first.status, 429)
    // Room for more than one request of another company.
    const others = Array.from({ length: 4 }, () => stranger.ask('GET', `/companies/${other.company.id}/team`))
    for (const { status } of await Promise.all(others)) assert.equal(status, 200)
    gate.resolve()
    await Promise.all(asked)
  })

  test('share the live streams of one caller', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    const [many, other] = [await Tenant.make(service, 'Many'), await Tenant.make(service, 'Other')]
    const streams = []
    for (let person = 0; person < 20; person++) {
      const visitor = await many.visitor('viewer')
      streams.push(
        ...(await Promise.all(Array.from({ length: 22 }, () => open(visitor, many.company.id, service.url)))),
      )
    }
    assert.deepEqual([...new Set(streams.map(({ status }) => status))].sort(), [200, 429])
    const stranger = await other.visitor('viewer')
    for (let n = 0; n < 3; n++) {
      const stream = await open(stranger, other.company.id, service.url)
      assert.equal(stream.status, 200)
      streams.push(stream)
    }
    for (const { leave } of streams) leave()
  })
})
