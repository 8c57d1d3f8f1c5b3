/** How long deliveries took, from the buckets in which they are counted (store/latency.ts). */
import { latencyBounds } from '../store/latency.ts'

/** A bucket, how many took so long, how many took less, and how many there are. */
export interface RankedLatency {
  value: string
  n: number
  below: number
  all: number
}

/**
 * Ms within which these parts (above 0, at most 1) of the deliveries were done, by the buckets in which they lie; null:
 * there was none. Within a bucket they are taken to lie evenly.
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
