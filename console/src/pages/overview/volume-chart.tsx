import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { volumeQuery } from '../../api/overview.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Chart } from '../../parts/chart/chart.tsx'
import type { ChartProps, ChartSeries } from '../../parts/chart/series.ts'
import type { EmailsSearch } from '../emails/search.ts'
import { useDeliveredWord } from './delivered-word.ts'
import { emailsBehind } from './emails-behind.ts'
import type { FilteredProps } from './filter.tsx'
import { pointsBefore, timesOf } from './spans.ts'

/** The first type lies at the bottom of each bar. */
const SHOWN = [
  { type: 'delivered', name: null, color: 'teal-7', texture: 'solid' },
  { type: 'bounced', name: 'Bounced', color: 'red-7', texture: 'rising' },
  { type: 'failed', name: 'Failed', color: 'orange-7', texture: 'falling' },
  { type: 'suppressed', name: 'Suppressed', color: 'grape-6', texture: 'dotted' },
  { type: 'complained', name: 'Complaints', color: 'pink-5', texture: 'level' },
] as const
/** No outcome: most delayed mail is delivered later, and counted again then. */
const DELAYS = { type: 'delivery_delayed', name: 'Delays', color: 'yellow-7', texture: 'dashed' } as const

export function VolumeChart({ company, span, filter }: FilteredProps) {
  const { data } = useQuery(volumeQuery(company, span, filter))
  const navigate = useNavigate()
  const delivered = useDeliveredWord()
  const times = useMemo(() => (data === undefined ? [] : timesOf(data)), [data])
  const series = useMemo((): ChartSeries[] => {
    if (data === undefined) return []
    const none = times.map(() => 0)
    const of = ({ type, name, color, texture }: (typeof SHOWN)[number] | typeof DELAYS) => ({
      name: name ?? delivered,
      color,
      texture,
      values: data.series[type]?.slice(pointsBefore(data)) ?? none,
    })
    // The chart draws the topmost series first, behind those that follow.
    return [...SHOWN.toReversed().map(of), { ...of(DELAYS), isLine: true }]
  }, [data, times, delivered])
  const step = data?.step ?? 0
  const searchAt = (at: number) =>
    emailsBehind({ span, filter }, null, { since: times[at]!, until: times[at]! + step })
  const link = (search: EmailsSearch, text: ReactNode) => (
    <AnchorLink to="/c/$company/emails" params={{ company }} search={search} inherit c="inherit">
      {text}
    </AnchorLink>
  )
  const links: ChartProps['linksOf'] = {
    series: (name, text) => {
      const { type } = [...SHOWN, DELAYS].find((each) => (each.name ?? delivered) === name)!
      return link(emailsBehind({ span, filter }, type), text)
    },
    time: (at, text) => link(searchAt(at), text),
    open: (at) => void navigate({ to: '/c/$company/emails', params: { company }, search: searchAt(at) }),
  }
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Chart
      title="Delivery"
      about="Recipients, by the time of the event"
      times={times}
      series={series}
      kind="bars"
      linksOf={links}
    />
  )
}
