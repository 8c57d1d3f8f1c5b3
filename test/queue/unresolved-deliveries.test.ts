/** Deliveries whose path is being looked up hold their place among those that are ready. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Path } from '../../src/delivery/path/path.ts'
import { type ReadyDelivery, UNRESOLVED } from '../../src/queue/deliveries.ts'
import { ReadyQueues } from '../../src/queue/ready-queues.ts'
import { UnresolvedDeliveries } from '../../src/queue/unresolved-deliveries.ts'
import { pathTo, readyFor } from './paths.ts'

function start(maxDeliveries = 100) {
  const limits = { concurrency: 8, maxDeliveries, maxBytes: 1_000, maxLargeBytes: 1_000 }
  const queues = new ReadyQueues(limits, () => 8)
  const unresolved = new UnresolvedDeliveries(queues.holdings, (ready) => queues.push(ready))
  return { queues, unresolved }
}

function delivery(companyId = 'a', size = 10): ReadyDelivery {
  return readyFor(companyId, UNRESOLVED, { size })
}

test('a delivery takes its path as soon as the path is known, even while others still wait', async () => {
  const { queues, unresolved } = start()
  const [first, second] = [delivery(), delivery()]
  const dead = Promise.withResolvers<Path>()
  unresolved.add(first, dead.promise)
  unresolved.add(second, Promise.resolve(pathTo('x.test')))
  assert.equal(queues.take(), null)
  assert.equal(queues.holdings.waiting, 2)
  await null
  assert.equal(queues.take(), second)
  assert.equal(second.path.key, pathTo('x.test').key)
  assert.deepEqual([...unresolved.deliveries()], [first])
  dead.resolve(pathTo('y.test'))
  await dead.promise
  assert.equal(queues.take(), first)
  assert.deepEqual([...unresolved.deliveries()], [])
  queues.done(first)
  queues.done(second)
  assert.deepEqual([queues.holdings.waiting, queues.busy, queues.holdings.bytes], [0, 0, 0])
})

test('its place and its octets are taken meanwhile, by its company', () => {
  const { queues, unresolved } = start(6)
  for (let i = 0; i < 3; i++) unresolved.add(delivery('a'), new Promise(() => {}))
  assert.equal(queues.holdings.room, 3)
  assert.equal(queues.holdings.bytes, 30)
  assert.equal(queues.holdings.allow('a'), false)
  assert.deepEqual(queues.room.full(), { companies: ['a'], lanes: [] })
  assert.equal(queues.holdings.allow('b'), true)
})

test('a stop takes it out, and a path found later begins nothing', async () => {
  const { queues, unresolved } = start()
  const late = Promise.withResolvers<Path>()
  const one = delivery()
  unresolved.add(one, late.promise)
  assert.deepEqual(unresolved.drain(), [one])
  assert.deepEqual([queues.holdings.waiting, queues.holdings.bytes], [0, 0])
  late.resolve(pathTo('x.test'))
  await late.promise
  assert.equal(queues.take(), null)
  assert.equal(queues.holdings.waiting, 0)
})
