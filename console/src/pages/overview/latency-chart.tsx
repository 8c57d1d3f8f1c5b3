import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { latencyQuery, type OverviewSpan } from '../../api/overview.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import { durationText } from '../../parts/duration.ts'
import { timesOf } from './spans.ts'

/** Milliseconds: from 1 ms to 10 s, 1 and 10 minutes, and from 1 to 1,000 hours. */
const STEPS = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000, 3_600_000_000]

export function LatencyChart({ company, span }: { company: string; span: OverviewSpan }) {
  const { data } = useQuery(latencyQuery(company, span))
  const times = useMemo(() => (data === undefined ? [] : timesOf(data)), [data])
  const series = useMemo(
    () =>
      data === undefined
        ? []
        : [
            { name: '50% within', color: 'teal-7', values: data.p50, whole: data.whole?.p50 ?? null },
            { name: '90% within', color: 'yellow-6', values: data.p90, whole: data.whole?.p90 ?? null },
            { name: '99% within', color: 'red-7', values: data.p99, whole: data.whole?.p99 ?? null },
          ],
    [data],
  )
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Chart
      title="Time to delivery"
      about="From acceptance by Postroad to acceptance by the recipient’s server"
      times={times}
      series={series}
      kind="lines"
      steps={STEPS}
      format={durationText}
    />
  )
}
