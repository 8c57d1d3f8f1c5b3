import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteLimits } from '../../src/queue/session-limits.ts'

function limits(most = 20) {
  const clock = { now: 0 }
  return { clock, limits: new SiteLimits(most, () => clock.now) }
}

test('a site that says too many gets half the sessions, once for each round of answers', () => {
  const { clock, limits: site } = limits()
  assert.equal(site.of('x.test'), Number.POSITIVE_INFINITY)
  clock.now = 10
  assert.equal(site.tooMany('x.test', 20, 5), true)
  assert.equal(site.of('x.test'), 10)
  // The others that began before.
  for (let i = 0; i < 19; i++) assert.equal(site.tooMany('x.test', 19, 5), true)
  assert.equal(site.of('x.test'), 10)
  assert.equal(site.of('y.test'), Number.POSITIVE_INFINITY)
  for (const left of [5, 2, 1]) {
    clock.now += 10
    assert.equal(site.tooMany('x.test', 20, clock.now), true)
    assert.equal(site.of('x.test'), left)
  }
  clock.now += 10
  assert.equal(site.tooMany('x.test', 1, clock.now), false, 'only waiting helps now')
})

test('it grows again slowly, up to what everybody has', () => {
  const { clock, limits: site } = limits(6)
  site.tooMany('x.test', 2, 0)
  site.well('x.test')
  assert.equal(site.of('x.test'), 1, 'not at once')
  for (const sessions of [2, 3, 5, Number.POSITIVE_INFINITY]) {
    clock.now += 20_000
    site.well('x.test')
    assert.equal(site.of('x.test'), sessions)
  }
})

test('where one has to go well first, that opens all', () => {
  const { limits: site } = limits()
  site.begin('relay')
  assert.equal(site.of('relay'), 1)
  site.well('relay')
  assert.equal(site.of('relay'), Number.POSITIVE_INFINITY)
})

test('the sites of a zone without end do not fill the memory: the one that was met longest ago is forgotten', () => {
  const { clock, limits: site } = limits()
  for (let index = 0; index <= 10_000; index++) {
    site.tooMany(`x${index}.test`, 20, ++clock.now)
    site.tooMany('met-again.test', 20, ++clock.now)
  }
  assert.equal(site.of('x0.test'), Number.POSITIVE_INFINITY)
  assert.equal(site.of('x10000.test'), 10)
  assert.equal(site.of('met-again.test'), 1)
})
