import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monotonic } from '../../src/common/clock.ts'
import type { DeliveryResult, TroubleReport } from '../../src/delivery/delivery.ts'
import { Evidence } from '../../src/queue/evidence.ts'
import { NodeShares } from '../../src/queue/node-shares.ts'
import { companyKey } from '../../src/queue/path-part.ts'
import { Throttle } from '../../src/queue/throttle.ts'
import { pathTo, readyFor } from './paths.ts'

/** The results of a delivery alone on its path, refused like this before anything was accepted there. */
function refused(pathTrouble: Partial<TroubleReport>) {
  const throttle = new Throttle(() => {}, new NodeShares())
  const ready = readyFor('c', pathTo('x.test'))
  const result: DeliveryResult = {
    outcomes: [{ position: 0, verdict: 'postponed', message: 'no' }],
    pathTrouble: { kind: 'busy', met: 'session', message: 'too many messages', ...pathTrouble },
    ...{ server: 'mx', dialogue: '', startedAt: 0, duration: 1, tls: null },
  }
  const alone = { at: monotonic(), busy: { all: 1, company: 1 } }
  throttle.begun(ready)
  const extent = new Evidence().weigh(ready, result)
  const { exhausted } = throttle.ended(ready, result, extent, { busyOn: () => 1 }, alone)
  /** How many of a queue may leave now. */
  let leave = 0
  while (leave < 100 && throttle.takesMore(ready.path, 'c') && throttle.pacing.takesMore(ready.path)) {
    throttle.begun(ready)
    leave++
  }
  throttle.pacing.stop()
  return { exhausted, leave }
}

test('after "too many messages" although nothing was accepted, a queue does not leave at once', () => {
  assert.deepEqual(refused({ excess: 'messages' }), { exhausted: true, leave: 1 })
})

test('after "too many sessions" from a single one, messages are not limited', () => {
  assert.deepEqual(refused({ excess: 'sessions' }), { exhausted: true, leave: 100 })
})

test('a server that says how long to wait gets that, and no slow beginning after it', () => {
  assert.deepEqual(refused({ excess: 'messages', waitMs: 0 }), { exhausted: true, leave: 100 })
})

test('a slow path has no more mail waiting in memory than it sends within a minute', (t) => {
  const throttle = new Throttle(() => {}, new NodeShares())
  t.after(() => throttle.pacing.stop())
  const [usual, slow, ofOne] = ['usual', 'slow', 'of-one'].map((name) => pathTo(name, { waiting: 200 }))
  throttle.pacing.learn(slow!.key, 40)
  throttle.pacing.learn(companyKey(ofOne!.key, 'a'), 1)
  const most = (companyId: string) =>
    [usual, slow, ofOne].map((path) => throttle.mostWaiting(path!, companyId))
  assert.deepEqual(most('a'), [200, 40, 5])
  assert.deepEqual(most('b'), [200, 40, 200])
  // It is known by its mail from now on.
  throttle.pacing.begun(slow!)
  assert.deepEqual(most('b'), [200, 40, 200])
})
