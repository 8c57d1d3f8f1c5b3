/** How long deliveries took, from the buckets in which they are counted (store/latency.ts). */
import { latencyBounds } from '../store/latency.ts'

/** How many took so long, by the name of the bucket. */
export type Latencies = ReadonlyMap<string, number>

/**
 * Ms within which these parts (0 to 1) of the deliveries were done; null: there was none. Within a bucket they are
 * taken to lie evenly.
 */
export function percentilesOf(latencies: Latencies, parts: readonly number[]): number[] | null {
  const buckets = [...latencies]
    .map(([bucket, n]) => ({ ...latencyBounds(bucket), n }))
    .sort((a, b) => a.most - b.most)
  const all = buckets.reduce((sum, { n }) => sum + n, 0)
  if (all === 0) return null
  return parts.map((part) => {
    const wanted = part * all
    let below = 0
    for (const { above, most, n } of buckets) {
      if (below + n >= wanted) return Math.round(above + ((wanted - below) / n) * (most - above))
      below += n
    }
    return buckets.at(-1)!.most
  })
}
