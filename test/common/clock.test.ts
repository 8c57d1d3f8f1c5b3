/** The clock that leaves the steps of the wall clock out, until they have lasted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SteadyClock } from '../../src/common/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A clock with what it is made of, which the test moves. */
function movable() {
  const at = { wall: 1_000 * HOUR, elapsed: 0 }
  const clock = new SteadyClock(
    () => at.wall,
    () => at.elapsed,
  )
  return {
    clock,
    pass(ms: number) {
      at.wall += ms
      at.elapsed += ms
    },
    step(ms: number) {
      at.wall += ms
    },
  }
}

for (const by of [6 * HOUR, -6 * HOUR]) {
  test(`a step by ${by / HOUR} hours that is taken back leaves the clock as it was`, () => {
    const { clock, pass, step } = movable()
    pass(MINUTE)
    step(by)
    assert.equal(clock.now(), 1_000 * HOUR + MINUTE)
    pass(MINUTE)
    assert.equal(clock.now(), 1_000 * HOUR + 2 * MINUTE)
    step(-by)
    pass(HOUR)
    assert.equal(clock.now(), 1_001 * HOUR + 2 * MINUTE)
  })

  test(`a step by ${by / HOUR} hours that lasts for a quarter of an hour is followed`, () => {
    const { clock, pass, step } = movable()
    step(by)
    for (let minute = 0; minute < 15; minute++) {
      assert.equal(clock.now(), 1_000 * HOUR + minute * MINUTE)
      pass(MINUTE)
    }
    assert.equal(clock.now(), 1_000 * HOUR + by + 15 * MINUTE)
  })
}

test('small corrections are followed in time', () => {
  const { clock, pass, step } = movable()
  for (let hour = 0; hour < 100; hour++) {
    pass(HOUR)
    step(50)
    clock.now()
  }
  assert.ok(1_100 * HOUR + 5_000 - clock.now() <= 100)
})
