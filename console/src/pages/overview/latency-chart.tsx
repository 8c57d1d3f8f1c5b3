import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { latencyQuery, type OverviewSpan } from '../../api/overview.ts'
import { useIsCapture } from '../../api/session.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import { durationText } from '../../parts/duration.ts'
import { pointsBefore, timesOf } from './spans.ts'

/** Milliseconds: from 1 ms to 10 s, 1 and 10 minutes, and from 1 to 1,000 hours. */
const STEPS = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000, 3_600_000_000]

const LINES = [
  { of: 'p50', name: '50% within', color: 'teal-7', texture: 'solid' },
  { of: 'p90', name: '90% within', color: 'yellow-6', texture: 'dashed' },
  { of: 'p99', name: '99% within', color: 'red-7', texture: 'dotted' },
] as const

export function LatencyChart({ company, span }: { company: string; span: OverviewSpan }) {
  const { data } = useQuery(latencyQuery(company, span))
  const captures = useIsCapture()
  const times = useMemo(() => (data === undefined ? [] : timesOf(data)), [data])
  const series = useMemo(() => {
    if (data === undefined) return []
    const first = pointsBefore(data)
    return LINES.map(({ of, name, color, texture }) => ({
      name,
      color,
      texture,
      values: data[of].slice(first),
      whole: data.whole?.[of] ?? null,
    }))
  }, [data])
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Chart
      title={captures ? 'Time to capture' : 'Time to delivery'}
      about={`From acceptance by Postroad to ${captures ? 'capture' : 'acceptance by the recipient’s server'}`}
      times={times}
      series={series}
      kind="lines"
      steps={STEPS}
      format={durationText}
    />
  )
}
