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
 * For each of `parts` (above 0, at most 1): the ms within which this part of the deliveries was done, interpolated
 * linearly within a bucket. Null: there were no deliveries.
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
