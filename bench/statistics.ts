/** Medians and percentiles of measured values. */

/** The `p`-th percentile (0 to 100) by nearest rank; NaN if there are no values. */
export function percentile(values: ArrayLike<number>, p: number): number {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return Number.NaN
  // Multiplied first, or 99.9 % of 1,000 would be a little more than 999.
  const rank = Math.ceil((p * sorted.length) / 100)
  return sorted[Math.min(sorted.length - 1, Math.max(0, rank - 1))]!
}

export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return Number.NaN
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
