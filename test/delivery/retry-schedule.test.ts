import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RetrySchedule } from '../../src/delivery/retry-schedule.ts'

const MINUTE = 60_000

test('each attempt waits for its own interval, never less', () => {
  const schedule = new RetrySchedule([2 * MINUTE, 5 * MINUTE], () => 0)
  assert.equal(schedule.next(1, 1_000), 1_000 + 2 * MINUTE)
  assert.equal(schedule.next(2, 1_000), 1_000 + 5 * MINUTE)
})

test('jitter adds up to a tenth', () => {
  const schedule = new RetrySchedule([10 * MINUTE], () => 0.999_999)
  const wait = schedule.next(1, 0)!
  assert.ok(wait > 10 * MINUTE && wait <= 11 * MINUTE)
})

test('after the last interval there is no further attempt', () => {
  assert.equal(new RetrySchedule([MINUTE]).next(2, 0), null)
})
