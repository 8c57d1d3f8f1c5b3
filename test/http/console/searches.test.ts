/** What a company's people meet who ask for more at once than may be under way; keys of it wait in the same turns. */
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

describe('what takes long in the console', () => {
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

  /** The store answers the first of these no sooner than it is told to. */
  function held(name: 'walkEmails' | 'countEvents' | 'sumEvents' | 'backlog') {
    const { store } = service
    const plain = store[name] as (...asked: unknown[]) => Promise<unknown>
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let begun = 0
    const wait: typeof plain = async (...asked) => {
      if (++begun === UNDER_WAY) reached.resolve()
      if (begun <= UNDER_WAY) await gate.promise
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
    ['overview/latency?span=day', 'countEvents'],
    ['overview/destinations?span=day', 'sumEvents'],
    ['overview/domains?span=day', 'sumEvents'],
    ['overview/backlog', 'backlog'],
  ] as const) {
    test(`${what}: few at a time of one company, and none of another wait for them`, async () => {
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
