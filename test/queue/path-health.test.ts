import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult } from '../../src/delivery/delivery.ts'
import { ProbePauses } from '../../src/delivery/route/probe-pauses.ts'
import { PathHealth } from '../../src/queue/path-health.ts'
import type { ReadyDelivery } from '../../src/queue/ready-queues.ts'
import type { ClaimedEmail } from '../../src/store/store.ts'
import { pathTo } from './paths.ts'

const log = { info() {}, warn() {}, error() {} }

test('the closed sites of a zone without end do not fill the memory: the one that was met longest ago is forgotten', () => {
  const paths = new PathHealth({ pauses: new ProbePauses([1_000]), domainName: String, release: async () => {}, log })
  const email = { domainId: 'd' } as ClaimedEmail
  const to = (site: string): ReadyDelivery => ({
    companyId: 'c',
    path: pathTo(site),
    email,
    recipients: [],
    leaseToken: 1,
    size: 1,
    messageSize: 1,
  })
  const refused: DeliveryResult = {
    emailId: 'e',
    outcomes: [{ position: 0, verdict: 'postponed', message: 'no' }],
    server: 'mx',
    dialogue: '',
    startedAt: 0,
    duration: 1,
    tls: null,
    hindrance: { kind: 'path', wide: true, message: 'no' },
  }
  for (let index = 0; index <= 10_000; index++) {
    paths.ended(to(`x${index}.test`), refused, true, index)
    paths.ended(to('met-again.test'), refused, true, index)
  }
  assert.equal(paths.closed.get('path'), 10_000)
  assert.equal(paths.closedFor(to('x0.test'), 0), null)
  assert.notEqual(paths.closedFor(to('x10000.test'), 0), null)
  assert.notEqual(paths.closedFor(to('met-again.test'), 0), null)
})
