/** Deliveries that begin behind the final dot of another one get its session without taking the turn of a third. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LARGE_MESSAGE } from '../../src/delivery/delivery.ts'
import type { Path } from '../../src/delivery/path/path.ts'
import { mayFollow, type ReadyDelivery } from '../../src/queue/deliveries.ts'
import { ReadyQueues } from '../../src/queue/ready-queues.ts'
import { pathTo, readyFor } from './paths.ts'

const LIMITS = { concurrency: 8, maxDeliveries: 1_000, maxBytes: 1_000_000, maxLargeBytes: 8_000_000 }

function queuesOf(sessions: number, concurrency = LIMITS.concurrency): ReadyQueues {
  return new ReadyQueues({ ...LIMITS, concurrency }, () => sessions)
}

function pushed(queues: ReadyQueues, companyId: string, path: Path, changes: Partial<ReadyDelivery> = {}) {
  const ready = readyFor(companyId, path, changes)
  queues.push(ready)
  return ready
}

test('the next delivery of a full path follows on the session, which passes to it in the end', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const [first, second, third] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  assert.equal(queues.take(), first)
  assert.equal(queues.take(), null)
  assert.equal(queues.takeBehind(first!), second)
  assert.equal(queues.takeBehind(first!), null)
  assert.equal(queues.busyOn(path), 1)
  queues.done(first!)
  assert.equal(queues.busyOn(path), 1)
  assert.equal(queues.take(), null)
  assert.equal(queues.takeBehind(second!), third)
  queues.done(second!)
  queues.done(third!)
  assert.equal(queues.busy, 0)
  assert.equal(queues.holdings.bytes, 0)
})

test('a delivery that ends before the one that it is behind leaves the session to that one', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const [first, second, third] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  queues.take()
  queues.takeBehind(first!)
  queues.done(second!)
  assert.equal(queues.busyOn(path), 1)
  assert.equal(queues.take(), null)
  assert.equal(queues.takeBehind(first!), third)
  queues.done(first!)
  queues.done(third!)
  assert.equal(queues.busy, 0)
})

test('a delivery may follow one that still follows another', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const [first, second, third] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  queues.take()
  queues.takeBehind(first!)
  assert.equal(queues.takeBehind(second!), third)
  queues.done(second!)
  assert.equal(queues.busyOn(path), 1)
  queues.done(first!)
  assert.equal(queues.busyOn(path), 1)
  queues.done(third!)
  assert.equal(queues.busy, 0)
})

test('a delivery that continues with another server counts beside the one that has its session', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const [first, second] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  queues.take()
  queues.takeBehind(first!)
  queues.places.part(first!)
  assert.equal(queues.busyOn(path), 2)
  queues.done(first!)
  assert.equal(queues.busyOn(path), 1)
  assert.equal(queues.take(), null)
  queues.done(second!)
  assert.equal(queues.busy, 0)
  assert.notEqual(queues.take(), null)
})

test('a company that waits for a session is not overtaken', () => {
  const queues = queuesOf(10, 1)
  const path = pathTo('x.test')
  const [first, second] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  assert.equal(queues.take(), first)
  const other = pushed(queues, 'b', pathTo('y.test'))
  // Its company was in the ring before.
  assert.equal(queues.takeBehind(first!), second)
  queues.done(first!)
  assert.equal(queues.takeBehind(second!), null)
  queues.done(second!)
  assert.equal(queues.take(), other)
})

test('when another company has its turn, no delivery follows', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const [first] = [1, 2, 3].map(() => pushed(queues, 'a', path))
  assert.equal(queues.take(), first)
  assert.equal(queues.take(), null)
  const other = pushed(queues, 'b', path)
  assert.equal(queues.take(), null)
  const second = queues.takeBehind(first!)
  assert.equal(second!.email.companyId, 'a')
  assert.equal(queues.takeBehind(second!), null)
  queues.done(first!)
  queues.done(second!)
  assert.equal(queues.take(), other)
})

test('a path that takes no more messages now, or fewer sessions than before, has no delivery follow', () => {
  let takesMore = true
  let sessions = 2
  const queues = new ReadyQueues(
    LIMITS,
    () => sessions,
    () => takesMore,
  )
  const path = pathTo('x.test')
  const [first] = [1, 2, 3, 4].map(() => pushed(queues, 'a', path))
  queues.take()
  queues.take()
  queues.take()
  takesMore = false
  assert.equal(queues.takeBehind(first!), null)
  takesMore = true
  sessions = 1
  assert.equal(queues.takeBehind(first!), null)
  sessions = 2
  assert.notEqual(queues.takeBehind(first!), null)
})

test('a delivery that may not follow keeps its turn', () => {
  const queues = queuesOf(1)
  const path = pathTo('x.test')
  const first = pushed(queues, 'a', path)
  queues.take()
  const large = pushed(queues, 'a', path, { messageSize: LARGE_MESSAGE })
  assert.equal(queues.take(), null)
  pushed(queues, 'b', path)
  assert.equal(queues.take(), null)
  assert.equal(queues.takeBehind(first), null)
  queues.done(first)
  assert.equal(queues.take(), large)
})

test('a delivery follows only one of its company, to the same servers, with the same demands, and if it is small', () => {
  const hosts = (...ranks: string[][]) => ({ hosts: { kind: 'hosts' as const, ranks }, until: 1 })
  const path = pathTo('Provider')
  const to = (servers: ReturnType<typeof hosts> | null, mtaSts?: 'enforce' | 'testing'): Path => {
    const policy = mtaSts && { mtaSts: { mode: mtaSts, mx: ['*.x.test'], expiresAt: 1 } }
    return { ...path, site: { ...path.site, servers, ...policy } as Path['site'] }
  }
  const before = readyFor('a', to(hosts(['mx1.x.test', 'mx2.x.test'], ['mx3.x.test'])))
  const follows = (next: Path, changes: Partial<ReadyDelivery> = {}) =>
    mayFollow(readyFor('a', next, changes), before)
  assert.equal(follows(before.path), true)
  assert.equal(follows(to(hosts(['mx2.x.test', 'mx1.x.test']))), true)
  assert.equal(follows(to(hosts(['mx1.y.test']))), false)
  assert.equal(follows(to(null)), false)
  assert.equal(follows(to(hosts(['mx1.x.test', 'mx2.x.test']), 'enforce')), false)
  assert.equal(follows(before.path, { preferredServer: 'mx1.x.test [192.0.2.1]:25' }), false)
  assert.equal(follows(before.path, { messageSize: LARGE_MESSAGE }), false)
  const { email } = readyFor('a', before.path)
  assert.equal(follows(before.path, { email: { ...email, tls: 'verified' } }), false)
  const relay = pathTo('relay', { kind: 'relay' })
  assert.equal(mayFollow(readyFor('a', relay), readyFor('a', relay)), true)
  assert.equal(mayFollow(readyFor('a', relay), readyFor('b', relay)), false)
})

test('whatever follows whatever, no limit is exceeded and everything is sent once', () => {
  const step = fc.record({
    act: fc.constantFrom('push', 'push', 'take', 'behind', 'behind', 'done', 'done'),
    company: fc.constantFrom('a', 'b', 'c'),
    site: fc.constantFrom('x.test', 'y.test'),
    at: fc.nat(20),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queues = queuesOf(2, 5)
      const paths = { 'x.test': pathTo('x.test'), 'y.test': pathTo('y.test') }
      const begun = new Set<ReadyDelivery>()
      const underWay: ReadyDelivery[] = []
      let added = 0
      const begin = (ready: ReadyDelivery | null) => {
        if (ready === null) return
        assert.equal(begun.has(ready), false)
        begun.add(ready)
        underWay.push(ready)
      }
      for (const { act, company, site, at } of steps) {
        if (act === 'push') {
          pushed(queues, company, paths[site as keyof typeof paths])
          added++
        } else if (act === 'take') begin(queues.take())
        else if (underWay.length > 0) {
          const one = at % underWay.length
          if (act === 'behind') begin(queues.takeBehind(underWay[one]!))
          else queues.done(underWay.splice(one, 1)[0]!)
        }
        for (const path of Object.values(paths)) assert.ok(queues.busyOn(path) <= 2)
        assert.ok(queues.busy <= 5)
        assert.ok(queues.busy <= underWay.length)
        assert.equal(queues.busy === 0, underWay.length === 0)
      }
      for (;;) {
        begin(queues.take())
        const one = underWay.pop()
        if (one === undefined) break
        queues.done(one)
      }
      assert.equal(begun.size, added)
      assert.equal(queues.holdings.waiting, 0)
      assert.equal(queues.holdings.bytes, 0)
      assert.equal(queues.busy, 0)
    }),
  )
})
