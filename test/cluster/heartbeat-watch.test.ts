import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HeartbeatWatch } from '../../src/cluster/heartbeat-watch.ts'
import type { NodeBeat } from '../../src/store/store.ts'

const TIMEOUT = 1_000

function row(token: number, beats: number, timeoutMs = TIMEOUT): NodeBeat {
  return { token, beats, timeoutMs, name: `node ${token}`, roles: ['delivery'], since: 0, machine: null }
}

function tokens(nodes: NodeBeat[]): number[] {
  return nodes.map(({ token }) => token)
}

test('a node that does not beat for its timeout and a tenth is silent, one that beats never is', () => {
  const watch = new HeartbeatWatch(500)
  for (let now = 0; now <= 1_100; now += 100) {
    assert.deepEqual(tokens(watch.look([row(1, 7), row(2, now)], now)), [], `at ${now}`)
  }
  assert.deepEqual(tokens(watch.look([row(1, 7), row(2, 1_200)], 1_101)), [1])
})

test('each node is measured by its own timeout', () => {
  const watch = new HeartbeatWatch(500)
  for (let now = 0; now <= 300; now += 100) watch.look([row(1, 0, 200), row(2, 0, 5_000)], now)
  assert.deepEqual(tokens(watch.look([row(1, 0, 200), row(2, 0, 5_000)], 301)), [1])
})

test('a gap between two looks makes no node silent', () => {
  const watch = new HeartbeatWatch(500)
  watch.look([row(1, 0)], 0)
  assert.deepEqual(watch.look([row(1, 0)], 100_000), [])
  for (let now = 100_100; now <= 101_100; now += 100) assert.deepEqual(watch.look([row(1, 0)], now), [])
  assert.deepEqual(tokens(watch.look([row(1, 0)], 101_101)), [1])
})

test('a beat ends the silence, and a node first seen late gets its whole timeout', () => {
  const watch = new HeartbeatWatch(500)
  for (let now = 0; now <= 1_000; now += 250) watch.look([row(1, 0)], now)
  for (let now = 1_050; now <= 2_150; now += 275) {
    assert.deepEqual(watch.look([row(1, 1), row(2, 0)], now), [], `at ${now}`)
  }
  assert.deepEqual(tokens(watch.look([row(1, 1), row(2, 0)], 2_151)), [1, 2])
})

test('a node that beats at least every half timeout never counts as silent, however the looks fall', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 }),
      fc.nat(499),
      (steps, phase) => {
        const watch = new HeartbeatWatch(500)
        let now = 0
        for (const step of steps) {
          now += step
          const beats = Math.floor((now + phase) / 500)
          assert.deepEqual(watch.look([row(1, beats)], now), [])
        }
      },
    ),
  )
})
