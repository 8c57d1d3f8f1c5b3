/** Spans of time for statistics, and the sizes of their counters, so that no span needs many counters. */
import { COUNT_SIZES, type CountSize } from '../store/digest.ts'

export const SPANS = ['hour', 'day', 'week', 'month', 'year'] as const
/** The last hour, 24 hours, 7 days, 30 days, 366 days. */
export type Span = (typeof SPANS)[number]

const MINUTE = COUNT_SIZES.minute

/** A series has a point for every `step` ms. */
const SERIES: Readonly<Record<Span, { size: CountSize; step: number; points: number }>> = {
  hour: { size: 'minute', step: MINUTE, points: 60 },
  day: { size: 'minute', step: 10 * MINUTE, points: 144 },
  week: { size: 'hour', step: COUNT_SIZES.hour, points: 168 },
  month: { size: 'hour', step: 2 * COUNT_SIZES.hour, points: 360 },
  year: { size: 'day', step: COUNT_SIZES.day, points: 366 },
}

/** The series of counters that exist for hours and days only. */
const LONG_SERIES: typeof SERIES = {
  ...SERIES,
  hour: { size: 'hour', step: COUNT_SIZES.hour, points: 2 },
  day: { size: 'hour', step: COUNT_SIZES.hour, points: 24 },
}

export interface SeriesSpan {
  size: CountSize
  /** Unix ms: the beginning of the first point, and the end of the last one. */
  since: number
  until: number
  /** Ms of each point. */
  step: number
  points: number
}

export function seriesOf(span: Span, now: number): SeriesSpan {
  return endingAt(now, SERIES[span])
}

/** The series of counters without minutes. Its span `hour` is the present hour and the one before. */
export function longSeriesOf(span: Span, now: number): SeriesSpan {
  return endingAt(now, LONG_SERIES[span])
}

function endingAt(now: number, { size, step, points }: (typeof SERIES)[Span]): SeriesSpan {
  const until = (Math.floor(now / step) + 1) * step
  return { size, step, points, since: until - points * step, until }
}

/**
 * The size of the counters for sums, often longer than for a series. A sum covers every bucket that the span touches:
 * for the last hour, up to two hours.
 */
const SUMS: Readonly<Record<Span, CountSize>> = {
  hour: 'hour',
  day: 'hour',
  week: 'hour',
  month: 'day',
  year: 'day',
}

export function sumsOf(span: Span, now: number): Pick<SeriesSpan, 'size' | 'since' | 'until'> {
  const size = SUMS[span]
  const { until, since } = seriesOf(span, now)
  const ms = COUNT_SIZES[size]
  return { size, since: Math.floor(since / ms) * ms, until }
}
