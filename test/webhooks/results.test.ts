/** What is kept of the tries of a webhook until it is in the store. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import { AttemptResults } from '../../src/events/webhooks/results.ts'
import type { WebhookAttempt } from '../../src/store/store.ts'

const NOW = Date.UTC(2026, 10, 23)
const MAX_UNCOMMITTED = 1_000
const KEPT_A_SECOND = 50

const attempt = (succeeded: boolean): WebhookAttempt => ({
  ...{
    id: randomUUIDv7(),
    webhookId: 'w',
    number: 1,
    type: 'sent',
    emailId: 'e',
    at: 1,
    duration: 1,
    attempt: 1,
  },
  ...{ succeeded, status: succeeded ? 200 : 500, error: null, response: '', nextAt: null },
})

test('no attempt begins while a thousand are not committed, and attempts go on once they are', () => {
  const results = new AttemptResults()
  for (let count = 0; count < MAX_UNCOMMITTED; count++) {
    assert.equal(results.isFull, false, `${count} tries`)
    results.addAttempt(attempt(false))
  }
  assert.equal(results.isFull, true)
  const taken = results.take(1)!
  assert.equal(taken.attempts.length, MAX_UNCOMMITTED)
  assert.equal(results.isFull, false)
  // They could not be.
  results.giveBack(taken)
  assert.equal(results.isFull, true)
})

test('of successful attempts the last fifty of a second are kept, however often they are written down', () => {
  const results = new AttemptResults()
  const second = (now: number, tries: number, commits: number) => {
    const attempts: WebhookAttempt[] = []
    for (let commit = 0; commit < commits; commit++) {
      for (let count = 0; count < tries; count++) results.addAttempt(attempt(true))
      attempts.push(...(results.take(now)?.attempts ?? []))
    }
    return attempts.length
  }
  assert.equal(second(1_000, 10, 3), 30)
  assert.equal(second(2_000, 1_000, 1), KEPT_A_SECOND)
  assert.equal(second(3_000, 20, 10), KEPT_A_SECOND)
  assert.equal(second(4_000, 49, 1), 49)
})

test('results that could not be committed are committed with later ones, completely and in order', () => {
  const results = new AttemptResults()
  results.waits({ number: 1 }, 1, NOW)
  results.over({ number: 2, attempts: 1, dueAt: NOW })
  const first = results.take(NOW)!
  results.waits({ number: 3 }, 1, NOW)
  results.over({ number: 4, attempts: 1, dueAt: NOW })
  results.giveBack(first)
  const all = results.take(NOW)!
  assert.deepEqual(all, {
    over: [
      { number: 2, attempts: 1, dueAt: NOW },
      { number: 4, attempts: 1, dueAt: NOW },
    ],
    waiting: [
      { number: 1, attempts: 1, dueAt: NOW },
      { number: 3, attempts: 1, dueAt: NOW },
    ],
    attempts: [],
  })
  assert.equal(results.take(NOW), null)
})
