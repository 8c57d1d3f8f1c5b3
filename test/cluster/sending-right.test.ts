import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendingRight } from '../../src/cluster/sending-right.ts'

function withClocks() {
  const now = { monotonic: 5_000, wall: 1_800_000_000_000 }
  const clocks = { monotonic: () => now.monotonic, wall: () => now.wall }
  const pass = (ms: number) => {
    now.monotonic += ms
    now.wall += ms
  }
  return { right: new SendingRight(undefined, clocks), now, pass }
}

test('the right begins with a grant and ends when its time is over', () => {
  const { right, pass } = withClocks()
  assert.equal(right.holds(0), false)
  assert.equal(right.holds(7), false)
  right.grant(7, 6_000)
  assert.equal(right.holds(7), true)
  assert.equal(right.holds(6), false)
  pass(999)
  assert.equal(right.holds(7), true)
  pass(1)
  assert.equal(right.holds(7), false)
  right.grant(7, 7_000)
  assert.equal(right.holds(7), true)
  right.end()
  assert.equal(right.holds(7), false)
})

test('a grant for another token takes it from the one before', () => {
  const { right } = withClocks()
  right.grant(7, Number.POSITIVE_INFINITY)
  right.grant(8, 6_000)
  assert.deepEqual([right.holds(7), right.holds(8)], [false, true])
})

test('a wall clock that is set back does not make it last longer', () => {
  const { right, now, pass } = withClocks()
  right.grant(7, 6_000)
  now.wall -= 3_600_000
  pass(1_000)
  assert.equal(right.holds(7), false)
})

test('time that the monotonic clock has slept through ends it, and so does a step forward until the next grant', () => {
  const { right, now } = withClocks()
  right.grant(7, 6_000)
  now.wall += 1_000
  assert.equal(right.holds(7), false)
  right.grant(7, 6_000)
  assert.equal(right.holds(7), true)
})

test('a right without an end has none on either clock', () => {
  const { right, now } = withClocks()
  right.grant(7, Number.POSITIVE_INFINITY)
  now.monotonic += 1e12
  now.wall += 1e13
  assert.equal(right.holds(7), true)
})

test('all threads that share the memory see the same right', () => {
  const right = new SendingRight()
  const other = new SendingRight(right.shared)
  right.grant(2 ** 52 + 1, Number.POSITIVE_INFINITY)
  assert.equal(other.holds(2 ** 52 + 1), true)
  assert.equal(other.holds(2 ** 52), false)
  right.end()
  assert.equal(other.holds(2 ** 52 + 1), false)
})
