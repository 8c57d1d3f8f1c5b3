/** The longest turn of a service's main thread, by the processor time in its metrics. */
import assert from 'node:assert/strict'

/** Turns of the main thread so far, by the seconds that each took at most. */
export type Stalls = ReadonlyMap<number, number>

const BUCKET = /^postroad_main_thread_stall_cpu_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm

/** `url`: the address of the service's metrics. */
export async function readStalls(url: string): Promise<Stalls> {
  const page = await (await fetch(`${url}/metrics`)).text()
  const below = [...page.matchAll(BUCKET)].map(([, bound, count]) => ({
    bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
    count: Number(count),
  }))
  assert.ok(below.length > 0, 'the metrics do not tell of stalls')
  // Each bucket of a histogram counts those of all smaller ones as well.
  return new Map(below.map(({ bound, count }, index) => [bound, count - (below[index - 1]?.count ?? 0)]))
}

/** Ms of the longest turn between the two, rounded up to the bound of its bucket; 0: none was noticeable. */
export function longestStall(before: Stalls, after: Stalls): number {
  const bounds = [...after]
    .filter(([bound, count]) => count > (before.get(bound) ?? 0))
    .map(([bound]) => bound)
  return Math.max(0, ...bounds) * 1_000
}

/** The bound, in ms, of the bucket that a turn of this duration is counted in. */
export function bucketOf(ms: number, stalls: Stalls): number {
  return Math.min(...[...stalls.keys()].filter((bound) => bound * 1_000 >= ms)) * 1_000
}

/** The number of turns of more than `ms` between the two readings. */
export function stallsOver(ms: number, before: Stalls, after: Stalls): number {
  return [...after].reduce(
    (sum, [bound, count]) => (bound * 1_000 > ms ? sum + count - (before.get(bound) ?? 0) : sum),
    0,
  )
}
