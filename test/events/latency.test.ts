import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentilesOf, type RankedLatency } from '../../src/events/latency.ts'
import { latencyBounds, latencyBucket } from '../../src/store/latency.ts'

function ranked(latencies: ReadonlyMap<string, number>): RankedLatency[] {
  const all = [...latencies.values()].reduce((sum, n) => sum + n, 0)
  let below = 0
  return [...latencies].map(([value, n]) => {
    below += n
    return { value, n, below: below - n, all }
  })
}

test('each latency lies in its bucket, and buckets follow each other without a gap', () => {
  let most = 0
  for (let ms = 0; ms <= 20_000; ms++) {
    const bounds = latencyBounds(latencyBucket(ms))
    assert.ok(ms <= bounds.most && (ms === 0 || ms > bounds.above), `${ms} in ${JSON.stringify(bounds)}`)
    assert.ok(bounds.most <= Math.max(1, ms * 1.2), `${ms} ms as ${bounds.most}`)
    assert.ok(bounds.most >= most)
    most = bounds.most
  }
  assert.equal(new Set(Array.from({ length: 432_000 }, (_, s) => latencyBucket(s * 1_000))).size < 120, true)
})

test('percentiles are those of the latencies, but for the width of a bucket', () => {
  const latencies = new Map<string, number>()
  for (let ms = 1; ms <= 10_000; ms++) {
    const bucket = latencyBucket(ms)
    latencies.set(bucket, (latencies.get(bucket) ?? 0) + 1)
  }
  const [p50, p90, p99] = percentilesOf(ranked(latencies), [0.5, 0.9, 0.99])!
  for (const [found, right] of [
    [p50, 5_000],
    [p90, 9_000],
    [p99, 9_900],
  ]) {
    assert.ok(Math.abs(found! / right! - 1) < 0.1, `${found} for ${right}`)
  }
})

test('one delivery is its own percentile, and none has none', () => {
  const [p50, p99] = percentilesOf(ranked(new Map([[latencyBucket(1_000), 1]])), [0.5, 0.99])!
  assert.ok(p50! > 840 && p50! <= 1_024, `${p50}`)
  assert.ok(p99! >= p50!)
  assert.equal(percentilesOf([], [0.5]), null)
})
