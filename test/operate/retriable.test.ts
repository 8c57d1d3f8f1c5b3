import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBeRetried } from '../../src/operate/retriable.ts'

const NOW = 1_000

test('a retry is offered unless all of the mail certainly waits for the time of its sender', () => {
  const of = (waiting: number, lastMessage: string | null, nextDueAt: number | null) =>
    mayBeRetried({ waiting, lastMessage, nextDueAt }, NOW)
  assert.equal(of(1, null, NOW + 1), false)
  assert.equal(of(20, null, NOW + 1), false)
  assert.equal(of(0, null, null), false)
  // The stores search no more of them for a reply.
  assert.equal(of(21, null, NOW + 1), true)
  assert.equal(of(1, '451 Greylisted', NOW + 1), true)
  assert.equal(of(1, null, NOW), true)
})
