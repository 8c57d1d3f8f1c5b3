/** What is full in memory, said in the words of a claim. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Path } from '../../src/delivery/path/path.ts'
import { claimFilter } from '../../src/queue/claim-filter.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { ReadyQueues } from '../../src/queue/ready-queues.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const NOTHING = { skip: [], skipCompanies: [], skipDomains: [] }
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
    assert.deepEqual(
      claimFilter(queues.full(), NOTHING, () => []),
      {
        ...NOTHING,
        skip: ['a\0x.test', 'a\0y.test', 'a\0z.test'],
      },
    )
  })
}

test('companies that take no more are left out as a whole, beside what is paused', () => {
  const queues = queuesWith([ready('a', pathTo('x.test'), 'x.test')], { ...LIMITS, maxDeliveries: 1 })
  const paused = { skip: ['c\0x.test'], skipCompanies: ['d'], skipDomains: ['y.test'] }
  assert.deepEqual(
    claimFilter(queues.full(), paused, () => []),
    { ...paused, skipCompanies: ['a', 'd'] },
  )
})

test('domains that are known to take the full path are left out, though nothing of theirs waits in memory', () => {
  const path = pathTo('provider', { waiting: 1 })
  const queues = queuesWith([ready('a', path, 'x.test'), ready('b', pathTo('other'), 'y.test')])
  const known = (of: Path) => (of.key === path.key ? ['x.test', 'z.test'] : ['w.test'])
  assert.deepEqual(claimFilter(queues.full(), NOTHING, known).skip, ['a\0x.test', 'a\0z.test'])
  const many = Array.from({ length: 5_000 }, (_, n) => `n${n}.test`)
  assert.equal(claimFilter(queues.full(), NOTHING, () => many).skip.length, 2_000)
})
