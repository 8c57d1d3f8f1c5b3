import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogThrottle } from '../../src/common/log-throttle.ts'

test('a line is due at once, after its interval with the number of skipped lines, and at once after a reset', () => {
  let now = 0
  const throttle = new LogThrottle(10_000, () => now)
  assert.equal(throttle.due(), 0)
  now = 9_999
  assert.equal(throttle.due(), null)
  assert.equal(throttle.due(), null)
  now = 10_000
  assert.equal(throttle.due(), 2)
  assert.equal(throttle.due(), null)
  throttle.reset()
  assert.equal(throttle.due(), 0)
})
