/** What the soak run takes for growth, and what for noise. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from '../../bench/soak/flatness.ts'
import { percentile } from '../../bench/statistics.ts'

/** An hour in samples of ten seconds. */
function hour(value: (minute: number, index: number) => number) {
  return Array.from({ length: 360 }, (_, index) => ({ at: index * 10, value: value(index / 6, index) }))
}

/** Between -1 and 1, the same in every run. */
const noise = (index: number) => Math.sin(index * 12.9898) * Math.cos(index * 78.233)

const NOTHING = { share: 0.02, least: 1 }

test('noise, peaks and a slow start are flat', () => {
  assert.ok(
    judge(
      hour((_, index) => 200 + 20 * noise(index)),
      NOTHING,
    ).flat,
  )
  assert.ok(
    judge(
      hour((_, index) => (index % 40 === 39 ? 900 : 200 + noise(index))),
      NOTHING,
    ).flat,
  )
  assert.ok(
    judge(
      hour((minute) => 200 - 100 / (1 + minute * minute)),
      NOTHING,
    ).flat,
  )
  assert.ok(
    judge(
      hour(() => 7),
      NOTHING,
    ).flat,
  )
  assert.ok(
    judge(
      hour((minute) => 300 - minute),
      NOTHING,
    ).flat,
  )
})

test('growth is seen through noise, and in counts of a few', () => {
  const leak = judge(
    hour((minute, index) => 200 + minute + 5 * noise(index)),
    NOTHING,
  )
  assert.ok(!leak.flat)
  assert.ok(Math.abs(leak.growth - 30) < 5, `grew by ${leak.growth} in the second half hour`)
  assert.ok(
    !judge(
      hour((minute) => 3 + Math.floor(minute / 10)),
      NOTHING,
    ).flat,
  )
})

test('too few samples for a slope are no growth', () => {
  assert.ok(judge([{ at: 0, value: 5 }], NOTHING).flat)
  assert.ok(judge([], NOTHING).flat)
})

test('percentiles are by nearest rank', () => {
  const values = Array.from({ length: 1000 }, (_, index) => index + 1)
  assert.equal(percentile(values, 50), 500)
  assert.equal(percentile(values, 99.9), 999)
  assert.equal(percentile([3], 99), 3)
})
