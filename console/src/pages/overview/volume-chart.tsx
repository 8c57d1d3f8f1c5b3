import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { volumeQuery } from '../../api/overview.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import type { ChartSeries } from '../../parts/chart/series.ts'
import type { FilteredProps } from './filter.tsx'
import { timesOf } from './spans.ts'

/** The first type lies at the bottom of each bar. */
const SHOWN = [
  { type: 'delivered', name: 'Delivered', color: 'teal-7' },
  { type: 'delivery_delayed', name: 'Delays', color: 'yellow-5' },
  { type: 'bounced', name: 'Bounced', color: 'red-7' },
  { type: 'failed', name: 'Failed', color: 'orange-7' },
  { type: 'suppressed', name: 'Suppressed', color: 'grape-6' },
  { type: 'complained', name: 'Complaints', color: 'pink-5' },
] as const

export function VolumeChart({ company, span, filter }: FilteredProps) {
  const { data } = useQuery(volumeQuery(company, span, filter))
  const times = useMemo(() => (data === undefined ? [] : timesOf(data)), [data])
  const series = useMemo((): ChartSeries[] => {
    if (data === undefined) return []
    const none = times.map(() => 0)
    // The chart draws the topmost series first, behind those that follow.
    return SHOWN.toReversed().map(({ type, name, color }) => ({
      name,
      color,
      values: data.series[type] ?? none,
    }))
  }, [data, times])
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Chart
      title="Delivery"
      about="Recipients, by the time of the event"
      times={times}
      series={series}
      kind="bars"
    />
  )
}
