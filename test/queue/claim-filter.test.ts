/** What is full in memory, said in the words of a claim. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Path } from '../../src/delivery/path/path.ts'
import { claimFilter, type KnownPaths } from '../../src/queue/claim-filter.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { ReadyQueues } from '../../src/queue/ready-queues.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const NOTHING = { rooms: [], skipCompanies: [], skipDomains: [] }
const PATHS: KnownPaths = { domainsOf: () => [], isOnly: () => false }
const LIMITS = { concurrency: 8, maxDeliveries: 100, maxBytes: 1_000, maxLargeBytes: 1_000 }

function queuesWith(deliveries: ReadyDelivery[], limits = LIMITS): ReadyQueues {
  const queues = new ReadyQueues(limits, () => 1)
  for (const one of deliveries) queues.push(one)
  return queues
}

function ready(companyId: string, path: Path, ...domains: string[]): ReadyDelivery {
  return readyFor(companyId, path, { recipients: domains.map((domain) => ({ domain }) as ClaimedRecipient) })
}

for (const kind of ['relay', 'simulator', 'direct'] as const) {
  test(`where a company has enough waiting for a path (${kind}), a claim leaves out the recipient domains that wait for it`, () => {
    const path = pathTo('there', { kind, waiting: 3 })
    const queues = queuesWith([
      ready('a', path, 'x.test', 'y.test'),
      ready('a', path, 'x.test'),
      ready('a', path, 'z.test'),
      ready('b', path, 'x.test'),
      ready('a', pathTo('x.test'), 'w.test'),
    ])
    const full = claimFilter(queues.room.full(), NOTHING, PATHS).rooms.filter(({ room }) => room === 0)
    assert.deepEqual(full, [{ companyId: 'a', domains: ['x.test', 'y.test', 'z.test'], room: 0 }])
  })
}

test('full companies are left out as a whole, beside paused ones', () => {
  const queues = queuesWith([ready('a', pathTo('x.test'), 'x.test')], { ...LIMITS, maxDeliveries: 1 })
  const rooms = [{ companyId: 'c', domains: ['x.test'], room: 0 }]
  const paused = { rooms, skipCompanies: ['d'], skipDomains: ['y.test'] }
  assert.deepEqual(claimFilter(queues.room.full(), paused, PATHS), { ...paused, skipCompanies: ['a', 'd'] })
})

test('domains that are known to take the full path are left out, though nothing of theirs waits in memory', () => {
  const path = pathTo('provider', { waiting: 1 })
  const queues = queuesWith([ready('a', path, 'x.test'), ready('b', pathTo('other'), 'y.test')])
  const known = (of: Path) => (of.key === path.key ? ['x.test', 'z.test'] : ['w.test'])
  const domainsIn = (domainsOf: KnownPaths['domainsOf']) =>
    claimFilter(queues.room.full(), NOTHING, { ...PATHS, domainsOf }).rooms[0]?.domains
  assert.deepEqual(domainsIn(known), ['x.test', 'z.test'])
  const many = Array.from({ length: 5_000 }, (_, n) => `n${n}.test`)
  assert.equal(domainsIn(() => many)?.length, 2_000)
})

test('a slow path gets no more from a claim than may wait for it, and other nodes get the rest of a burst', () => {
  const [slow, usual] = [pathTo('slow', { waiting: 5 }), pathTo('usual', { waiting: 200 })]
  const queues = queuesWith([
    ready('a', slow, 'x.test'),
    ready('a', slow, 'x.test'),
    ready('a', usual, 'y.test'),
  ])
  const rooms = (paths = PATHS) => claimFilter(queues.room.full(), NOTHING, paths).rooms
  assert.deepEqual(rooms(), [{ companyId: 'a', domains: ['x.test'], room: 3 }])
  // Two for each of this node's sessions, of which it has one here, but as many as for the slowest site.
  queues.room.shared = true
  for (let n = 0; n < 3; n++) queues.push(ready('a', slow, 'x.test'))
  assert.deepEqual(rooms(), [
    { companyId: 'a', domains: ['x.test'], room: 0 },
    { companyId: 'a', domains: ['y.test'], room: 4 },
  ])
  assert.deepEqual(queues.room.hasRoom('a', slow), false)
  assert.deepEqual(queues.room.hasRoom('a', usual), true)
  const isOnly: KnownPaths['isOnly'] = (_, path) => path === usual
  assert.deepEqual(rooms({ ...PATHS, isOnly })[1], { companyId: 'a', domains: null, room: 4 })

  // A path that takes them fast gets as many as began within the last seconds.
  const fast = queuesWith([])
  fast.room.shared = true
  for (let n = 0; n < 9; n++) {
    fast.push(ready('a', usual, 'y.test'))
    const taken = fast.take()!
    fast.push(ready('a', usual, 'y.test'))
    fast.done(taken)
  }
  assert.deepEqual(
    claimFilter(fast.room.full(), NOTHING, PATHS).rooms.map(({ room }) => room),
    [0],
  )
  for (let n = 0; n < 5; n++) fast.done(fast.take()!)
  assert.deepEqual(
    claimFilter(fast.room.full(), NOTHING, PATHS).rooms.map(({ room }) => room),
    [10],
  )
})
