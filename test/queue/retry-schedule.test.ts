import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../src/config/load.ts'
import { RetrySchedule } from '../../src/queue/retry-schedule.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

test('each attempt waits for its own interval, never less', () => {
  const schedule = new RetrySchedule([2 * MINUTE, 5 * MINUTE], () => 0)
  assert.equal(schedule.after(1_000)(1), 1_000 + 2 * MINUTE)
  assert.equal(schedule.after(1_000)(2), 1_000 + 5 * MINUTE)
})

test('jitter adds up to a tenth', () => {
  const schedule = new RetrySchedule([10 * MINUTE], () => 0.999_999)
  const wait = schedule.after(0)(1)!
  assert.ok(wait > 10 * MINUTE && wait <= 11 * MINUTE)
})

test('the recipients of one attempt vary alike, those of another otherwise', () => {
  let drawn = 0
  const schedule = new RetrySchedule([10 * MINUTE, 20 * MINUTE], () => drawn++ / 10)
  const first = schedule.after(0)
  assert.deepEqual([first(1), first(1), first(2)], [10 * MINUTE, 10 * MINUTE, 20 * MINUTE])
  assert.equal(schedule.after(0)(1), 10.1 * MINUTE)
})

test('after the last interval there is no further attempt', () => {
  assert.equal(new RetrySchedule([MINUTE]).after(0)(2), null)
})

test('by default the first retry comes within 1 to 15 minutes, waits grow, and the last is more than 4.5 days later', () => {
  const { retrySchedule } = loadSettings({}, { envFile: null })
  assert.ok(retrySchedule[0]! >= MINUTE && retrySchedule[0]! * 1.1 <= 15 * MINUTE)
  assert.deepEqual(
    retrySchedule,
    retrySchedule.toSorted((a, b) => a - b),
  )
  // At its lowest jitter adds nothing.
  assert.ok(retrySchedule.reduce((sum, wait) => sum + wait) >= 4.5 * DAY)
})

test('mail is tried no longer than the service or its sender allows, counted from its scheduled time', () => {
  const email = { createdAt: 1_000, scheduledAt: null, giveUpAt: null }
  const within = new RetrySchedule([MINUTE], () => 0, 10 * MINUTE)
  assert.equal(within.endOf(email), 1_000 + 10 * MINUTE)
  assert.equal(within.endOf({ ...email, scheduledAt: DAY }), DAY + 10 * MINUTE)
  assert.equal(within.endOf({ ...email, giveUpAt: 5_000 }), 5_000)
  assert.equal(within.endOf({ ...email, giveUpAt: DAY }), 1_000 + 10 * MINUTE)
  const unlimited = new RetrySchedule([MINUTE])
  assert.equal(unlimited.endOf(email), null)
  assert.equal(unlimited.endOf({ ...email, giveUpAt: 5_000 }), 5_000)
})
