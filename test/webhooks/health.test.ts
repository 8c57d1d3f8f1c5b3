import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Health } from '../../src/events/webhooks/health.ts'

const SECOND = 1_000

test('a webhook that is down is tried after growing pauses, and attempts begun before change nothing', () => {
  const health = new Health(null, 60 * SECOND)
  for (let count = 1; count < 5; count++) health.recordFailure(0, 100)
  assert.deepEqual([health.down, health.rests(100)], [false, false])
  health.recordFailure(0, 100)
  assert.deepEqual([health.down, health.atOnce], [true, 1])
  const pausedAt = (now: number) => {
    for (let ms = 0; ; ms += SECOND) if (!health.rests(now + ms)) return ms
  }
  assert.equal(pausedAt(100), SECOND)
  // Begun before it went down.
  for (let count = 0; count < 3; count++) health.recordFailure(99, 200)
  assert.equal(pausedAt(200), SECOND)
  for (const [now, pause] of [
    [1_300, 2 * SECOND],
    [4_000, 4 * SECOND],
  ] as const) {
    health.recordFailure(now, now)
    assert.equal(pausedAt(now), pause)
  }
  health.recordSuccess()
  assert.deepEqual([health.down, health.rests(4_000), health.failingSince], [false, false, null])
})
