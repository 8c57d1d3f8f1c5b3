import type { OverviewSpan } from '../../api/overview.ts'

export const SPAN_WORDS: Readonly<Record<OverviewSpan, { label: string; last: string }>> = {
  hour: { label: 'Hour', last: 'hour' },
  day: { label: 'Day', last: '24 hours' },
  week: { label: 'Week', last: '7 days' },
  month: { label: 'Month', last: '30 days' },
  year: { label: 'Year', last: '12 months' },
}

/** The start of each point of a chart, in Unix milliseconds. */
export function timesOf({ since, until, step }: { since: number; until: number; step: number }): number[] {
  return Array.from({ length: Math.round((until - since) / step) }, (_, index) => since + index * step)
}
