/** What is full in memory, said in the words of a claim. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimFilter } from '../../src/queue/claim-filter.ts'
import { type ReadyDelivery, ReadyQueues } from '../../src/queue/ready-queues.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo } from './paths.ts'

const NOTHING = { skip: [], skipCompanies: [], skipDomains: [] }
const LIMITS = { concurrency: 8, maxDeliveries: 100, maxBytes: 1_000, maxLargeBytes: 1_000 }

function queuesWith(deliveries: Partial<ReadyDelivery>[], limits = LIMITS): ReadyQueues {
  const queues = new ReadyQueues(limits, () => 1)
  for (const one of deliveries) {
    const rest = { recipients: [], email: {} as ClaimedEmail, leaseToken: 1, size: 1, messageSize: 1 }
    queues.push({ companyId: 'a', path: pathTo('x.test'), ...rest, ...one })
  }
  return queues
}

const to = (...domains: string[]) => domains.map((domain) => ({ domain }) as ClaimedRecipient)

for (const kind of ['relay', 'simulator', 'direct'] as const) {
  test(`where a company has enough waiting for a path (${kind}), a claim leaves out the recipient domains that wait for it`, () => {
    const path = pathTo('there', { kind, waiting: 3 })
    const queues = queuesWith([
      { path, recipients: to('x.test', 'y.test') },
      { path, recipients: to('x.test') },
      { path, recipients: to('z.test') },
      { path, companyId: 'b', recipients: to('x.test') },
      { recipients: to('w.test') },
    ])
    assert.deepEqual(claimFilter(queues.full(), NOTHING), {
      ...NOTHING,
      skip: ['a\0x.test', 'a\0y.test', 'a\0z.test'],
    })
  })
}

test('companies that take no more are left out as a whole, beside what is paused', () => {
  const queues = queuesWith([{ recipients: to('x.test') }], { ...LIMITS, maxDeliveries: 1 })
  const paused = { skip: ['c\0x.test'], skipCompanies: ['d'], skipDomains: ['y.test'] }
  assert.deepEqual(claimFilter(queues.full(), paused), { ...paused, skipCompanies: ['a', 'd'] })
})
