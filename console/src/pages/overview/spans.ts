import type { OverviewSpan } from '../../api/overview.ts'

export const SPAN_WORDS: Readonly<Record<OverviewSpan, { label: string; last: string }>> = {
  hour: { label: 'Hour', last: 'hour' },
  day: { label: 'Day', last: '24 hours' },
  week: { label: 'Week', last: '7 days' },
  month: { label: 'Month', last: '30 days' },
  year: { label: 'Year', last: '12 months' },
}

/** In Unix milliseconds, and milliseconds for `step`. */
interface ChartSpan {
  since: number
  until: number
  step: number
  /** When the company was created; of all companies, the first. */
  began: number
}

/** The fewest points of a chart, even for a new company. */
const FEWEST = 12

/** The number of points before the company was created: a chart leaves them out. */
export function pointsBefore({ since, until, step, began }: ChartSpan): number {
  const points = Math.round((until - since) / step)
  return Math.max(0, Math.min(Math.floor((began - since) / step), points - FEWEST))
}

/** The start of each point of a chart, in Unix milliseconds. */
export function timesOf(series: ChartSpan): number[] {
  const { since, until, step } = series
  const first = pointsBefore(series)
  const points = Math.round((until - since) / step)
  return Array.from({ length: points - first }, (_, index) => since + (first + index) * step)
}
