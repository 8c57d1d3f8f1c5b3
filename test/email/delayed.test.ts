import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDelayed } from '../../src/email/delayed.ts'
import { BY_HAND } from '../../src/email/lifecycle.ts'
import { notAttempted } from '../../src/email/not-attempted.ts'

test('mail is delayed once it was tried, or left out because of trouble; not when it was only given back', () => {
  const of = (change: Partial<Parameters<typeof isDelayed>[0]>) =>
    isDelayed({ attempts: 0, postponedSince: null, lastMessage: null, ...change })
  const stopped = notAttempted('the service was stopped')
  assert.equal(of({}), false)
  assert.equal(of({ lastMessage: stopped }), false)
  assert.equal(of({ lastMessage: notAttempted('paused by an operator') }), false)
  assert.equal(of({ lastMessage: stopped, postponedSince: BY_HAND.operator }), false, 'only made due by hand')
  assert.equal(of({ postponedSince: BY_HAND.member }), false)
  assert.equal(of({ lastMessage: stopped, attempts: 1 }), true)
  assert.equal(of({ lastMessage: stopped, postponedSince: 1_700_000_000_000 }), true)
  assert.equal(of({ lastMessage: '421 Later' }), true)
  const others = 'Not attempted, because other mail on this path failed: 451 Server busy'
  assert.equal(of({ lastMessage: others, postponedSince: BY_HAND.operator }), true)
})
