/** Percentiles of delivery times, from the buckets in which deliveries are counted (store/latency.ts). */
import { latencyBounds } from '../store/latency.ts'

/** A bucket, with the number of deliveries in it, in lower buckets, and in all buckets. */
export interface RankedLatency {
  value: string
  n: number
  below: number
  all: number
}

/**
 * Ms within which these parts (above 0, at most 1) of the deliveries were done, interpolated linearly within each
 * bucket; null: there were none.
 */
export function percentilesOf(buckets: readonly RankedLatency[], parts: readonly number[]): number[] | null {
  if (buckets.length === 0) return null
  return parts.map((part) => {
    const wanted = part * buckets[0]!.all
    const { value, n, below } = buckets.find((each) => each.below + each.n >= wanted) ?? buckets.at(-1)!
    const { above, most } = latencyBounds(value)
    return Math.round(above + ((wanted - below) / n) * (most - above))
  })
}
