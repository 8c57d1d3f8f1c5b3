/**
 * Counts how long emails took from the moment they could be sent to their delivery: in buckets whose bounds grow by a
 * fourth root of two, so that a value read from them is off by a fifth at most. A bucket is named by its upper bound in
 * ms.
 */

const STEPS_A_DOUBLING = 4

/** The name of the bucket that contains a duration in ms. */
export function latencyBucket(ms: number): string {
  return String(Math.floor(2 ** (stepOf(ms) / STEPS_A_DOUBLING)))
}

/** Bounds of a bucket in ms: longer than `above`, and at most `most`. */
export function latencyBounds(bucket: string): { above: number; most: number } {
  const most = Number(bucket)
  const step = stepOf(most)
  return { above: step === 0 ? 0 : 2 ** ((step - 1) / STEPS_A_DOUBLING), most }
}

function stepOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(STEPS_A_DOUBLING * Math.log2(ms))
}
