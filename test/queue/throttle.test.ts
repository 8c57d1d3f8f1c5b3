import assert from 'node:assert/strict'
import { test } from 'node:test'
import { companyKey } from '../../src/queue/path-part.ts'
import { Throttle } from '../../src/queue/throttle.ts'
import { pathTo } from './paths.ts'

test('no more mail waits in memory for a path whose rate is lowered than leaves within a minute', (t) => {
  const throttle = new Throttle(() => {})
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
