import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Span } from '../../src/events/spans.ts'
import {
  showDestinations,
  showLatency,
  showVolume,
  showVolumeByCompany,
  showVolumeByDomain,
  type VolumeOf,
} from '../../src/operate/overview.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { digest } from '../store/contract/digest.ts'
import { attempt, DAY, email, HOUR, NOW, node, result } from '../store/samples.ts'
import { type CallerName, type Owned, World } from './world.ts'

const MINUTE = 60_000
/** Long after what the world has begun with. */
const THEN = NOW + 400 * DAY

let world: World
before(async () => {
  world = await World.make()
  const { store, acme, beta } = world
  const token = await store.join(node('here'))
  const send = async (
    of: Owned,
    domain: 0 | 1,
    at: number,
    address: string,
    took: number,
    type = 'delivered',
  ) => {
    const domainId = of.domains[domain].id
    const value = email(of.company, [address], { domainId, createdAt: at, dueAt: at })
    await store.accept(value, { token })
    const event = { type: type as 'delivered' | 'bounced', at: at + took, detail: {} }
    await store.record(attempt(value, token, [result(0, { events: [event] })]))
  }
  for (const took of [100, 200, 9_000]) await send(acme, 0, THEN - 5 * MINUTE, 'a@x.test', took)
  await send(acme, 1, THEN - 5 * HOUR, 'b@x.test', 400)
  await send(acme, 1, THEN - 40 * DAY, 'c@y.test', 400, 'bounced')
  await send(beta, 0, THEN - 5 * MINUTE, 'd@z.test', 100)
  await digest(store, token)
})
after(() => world[Symbol.asyncDispose]())

async function as(caller: CallerName): Promise<Operation> {
  return { ...(await world.operation(caller)), now: () => THEN }
}

function volumes(found: readonly VolumeOf[] | null) {
  return found?.map(({ key, volume }) => [key, volume])
}

describe('the outcome of mail over time', () => {
  test('each span has at most 400 points, and the last one is now', async () => {
    const op = await as('reader')
    for (const [span, step, delivered] of [
      ['hour', MINUTE, 3],
      ['day', 10 * MINUTE, 4],
      ['week', HOUR, 4],
      ['month', 2 * HOUR, 4],
      ['year', DAY, 4],
    ] as const) {
      const found = await showVolume(op, { span })
      assert.equal(found.step, step)
      assert.ok(found.points <= 400)
      assert.equal(found.until - found.since, found.points * step)
      assert.ok(found.since % step === 0 && found.until > THEN && found.until - step <= THEN)
      const { series, totals } = found
      assert.equal(totals.delivered, delivered, span)
      assert.equal(series.delivered!.length, found.points)
      const at = Math.floor((THEN - 5 * MINUTE - found.since) / step)
      assert.ok(series.delivered![at]! >= 3)
      assert.equal(totals.bounced, span === 'year' ? 1 : undefined)
    }
  })

  test('of a company, of a domain, of all', async () => {
    const delivered = async (caller: CallerName, change: { company?: string; domain?: string }) =>
      (await showVolume(await as(caller), { span: 'day', ...change })).totals.delivered
    assert.equal(await delivered('operator', {}), 5)
    assert.equal(await delivered('operator', { company: 'Acme' }), 4)
    assert.equal(await delivered('reader', { domain: 'acme.test' }), 3)
    assert.equal(await delivered('restricted', { domain: 'acme.test' }), 3)
    assert.equal(await delivered('foreign', {}), 1)
  })

  test('latency, of each point and of the whole span', async () => {
    const { p50, p99, whole, since, step } = await showLatency(await as('reader'), { span: 'hour' })
    const at = Math.floor((THEN - 5 * MINUTE - since) / step)
    assert.equal(p50.filter((ms) => ms !== null).length, 1)
    assert.ok(p50[at]! > 100 && p50[at]! < 220, `${p50[at]}`)
    assert.ok(p99[at]! > 7_500 && p99[at]! < 9_800, `${p99[at]}`)
    assert.equal(whole?.p50, p50[at])
    const day = await showLatency(await as('operator'), { span: 'day' })
    assert.equal(day.p50.filter((ms) => ms !== null).length, 2)
    const none = await showLatency({ ...(await as('reader')), now: () => THEN + 5 * DAY }, { span: 'day' })
    assert.equal(none.whole, null)
  })

  test('by sending domain, destination and company', async () => {
    const op = await as('reader')
    const [first, second] = world.acme.domains.map(({ id }) => id)
    assert.deepEqual(volumes((await showVolumeByDomain(op, { span: 'year' })).volumes), [
      [first, { accepted: 3, delivered: 3, sent: 3 }],
      [second, { accepted: 2, delivered: 1, bounced: 1, sent: 2 }],
    ])
    const year = await showDestinations(op, { span: 'year' })
    assert.deepEqual(volumes(year.busiest), [
      ['x.test', { accepted: 4, delivered: 4 }],
      ['y.test', { accepted: 1, bounced: 1 }],
    ])
    assert.deepEqual(volumes(year.failing), [['y.test', { accepted: 1, bounced: 1 }]])
    assert.deepEqual(year.others, {})
    const week = await showDestinations(await as('operator'), { span: 'week', limit: 1 })
    assert.deepEqual(volumes(week.busiest), [['x.test', { accepted: 4, delivered: 4 }]])
    assert.deepEqual(week.failing, [])
    const companies = await showVolumeByCompany(await as('operator'), { span: 'year' })
    assert.deepEqual(volumes(companies.volumes), [
      [world.acme.company.id, { accepted: 5, delivered: 4, bounced: 1, sent: 5 }],
      [world.beta.company.id, { accepted: 1, delivered: 1, sent: 1 }],
    ])
  })

  test('the sum of a longer span is at least the sum of a shorter one', async () => {
    const op = await as('operator')
    const spans: Span[] = ['hour', 'day', 'week', 'month', 'year']
    const sums = await Promise.all(
      spans.map(async (span) => {
        const { volumes } = await showVolumeByCompany(op, { span })
        return volumes!.reduce((sum, { volume }) => sum + (volume.accepted ?? 0), 0)
      }),
    )
    assert.deepEqual(sums, [4, 5, 5, 5, 6])
  })
})
