/** Judges whether a series of samples grows, compared with its own noise, so that a noisy machine does not look like a leak. */
import { median } from '../statistics.ts'

export interface Sample {
  /** Seconds since the start. */
  at: number
  value: number
}

export interface Flatness {
  /** Medians of the first and the last fifth of the judged samples. */
  first: number
  last: number
  /** The growth over all judged samples, by the robust slope. */
  growth: number
  /** Three times the spread of the samples around the slope. */
  noise: number
  /** The growth that is allowed in addition to the noise. */
  allowance: number
  flat: boolean
}

/** A median absolute deviation of normal noise times this is its standard deviation. */
const DEVIATION = 1.4826

/** The most samples whose pairs give slopes: the pairs of an hour of samples would take minutes. */
const MAX = 400

/**
 * Judges the second half of the samples: the first is for caches and pools to fill. The slope is the median of the slopes between all
 * pairs (Theil and Sen), which single peaks do not move. `share` and `least` say how much growth is nothing: a share of the value, and
 * an amount.
 */
export function judge(samples: Sample[], { share, least }: { share: number; least: number }): Flatness {
  const half = thin(samples.slice(Math.floor(samples.length / 2)))
  if (half.length === 0) return { first: 0, last: 0, growth: 0, noise: 0, allowance: least, flat: true }
  const slopes: number[] = []
  for (const [index, early] of half.entries()) {
    for (const late of half.slice(index + 1))
      if (late.at > early.at) slopes.push((late.value - early.value) / (late.at - early.at))
  }
  const slope = slopes.length > 0 ? median(slopes) : 0
  const values = half.map(({ value }) => value)
  const middle = median(half.map(({ at, value }) => value - slope * at))
  const noise = 3 * DEVIATION * median(half.map(({ at, value }) => Math.abs(value - slope * at - middle)))
  const growth = slope * (half.at(-1)!.at - half[0]!.at)
  const allowance = Math.max(least, share * median(values))
  const fifth = Math.max(1, Math.floor(values.length / 5))
  return {
    first: median(values.slice(0, fifth)),
    last: median(values.slice(-fifth)),
    growth,
    noise,
    allowance,
    flat: growth <= allowance + noise,
  }
}

function thin(samples: Sample[]): Sample[] {
  const step = Math.ceil(samples.length / MAX)
  return samples.filter((_, index) => index % step === 0)
}
