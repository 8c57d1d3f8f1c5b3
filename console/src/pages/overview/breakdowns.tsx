/** The counts of the overview by recipient domain, sending domain and company. */
import { Anchor, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  byCompanyQuery,
  byDomainQuery,
  destinationsQuery,
  type OverviewSpan,
  type VolumeBreakdown,
  type VolumeFilter,
} from '../../api/overview.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { type LoadingQuery, Pending } from '../../parts/pending.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useDeliveredWord } from './delivered-word.ts'
import { useSetFilter } from './filter.tsx'
import classes from './overview.module.css'
import { SummedTable } from './summed-table.tsx'

export function Destinations({ company, span }: { company: string; span: OverviewSpan }) {
  const query = useQuery(destinationsQuery(company, span))
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Breakdown
        title="Recipient domains"
        about="The recipient domains with the most mail"
        query={query}
        volumes={query.data?.busiest}
        by="accepted"
        link={toDestination}
      />
      <Breakdown
        title="Where mail fails"
        about="The recipient domains with the most bounced and failed recipients"
        query={query}
        volumes={query.data?.failing}
        by="failures"
        link={toDestination}
      />
    </SimpleGrid>
  )
}

export function ByDomain({ company, span }: { company: string; span: OverviewSpan }) {
  const query = useQuery(byDomainQuery(company, span))
  return (
    <Breakdown
      title="Sending domains"
      about="The sending domains with the most mail"
      query={query}
      volumes={query.data?.volumes}
      by="accepted"
      link={({ key, name }) => <FilterLink filter={{ domain: key }}>{name}</FilterLink>}
    />
  )
}

export function ByCompany({ span }: { span: OverviewSpan }) {
  const query = useQuery(byCompanyQuery(span))
  return (
    <Breakdown
      title="Companies"
      about="The companies with the most mail"
      query={query}
      volumes={query.data?.volumes}
      by="accepted"
      link={({ key, name }) => (
        <AnchorLink to="/c/$company/overview" params={{ company: key }} size="sm">
          <UntrustedText>{name}</UntrustedText>
        </AnchorLink>
      )}
    />
  )
}

/** Filters the charts above, and scrolls up to them. */
function FilterLink({ filter, children }: { filter: VolumeFilter; children: string }) {
  const setFilter = useSetFilter()
  return (
    <Anchor
      component="button"
      size="sm"
      ta="left"
      onClick={() => {
        setFilter(filter)
        window.scrollTo({ top: 0 })
      }}
    >
      <bdi>
        <HostName>{children}</HostName>
      </bdi>
    </Anchor>
  )
}

const toDestination = ({ key }: NamedVolume) => <FilterLink filter={{ to: key }}>{key}</FilterLink>

/** The most rows of a list. */
const MAX = 10

type NamedVolume = VolumeBreakdown[number]
type VolumeCounts = VolumeBreakdown[number]['volume']

const failuresOf = ({ bounced = 0, failed = 0 }: VolumeCounts) => bounced + failed

/** `volumes`: `undefined` while loading; `null` if there is too much to add up. */
function Breakdown({
  title,
  about,
  query,
  volumes,
  by,
  link,
}: {
  title: string
  about: string
  query: LoadingQuery
  volumes: VolumeBreakdown | null | undefined
  by: 'accepted' | 'failures'
  link: (each: NamedVolume) => ReactNode
}) {
  const delivered = useDeliveredWord()
  if (volumes === undefined) return <Pending of={query} height={220} />
  const size = (volume: VolumeCounts) => (by === 'failures' ? failuresOf(volume) : (volume.accepted ?? 0))
  const most = Math.max(1, ...(volumes ?? []).map(({ volume }) => size(volume)))
  const csv = () => {
    const types = [...new Set((volumes ?? []).flatMap(({ volume }) => Object.keys(volume)))].sort()
    const rows = (volumes ?? []).map(({ name, volume }) => [
      name,
      ...types.map((type) => String(volume[type] ?? 0)),
    ])
    return [['name', ...types], ...rows]
  }
  return (
    <SummedTable
      title={title}
      about={about}
      csv={csv}
      rows={volumes?.slice(0, MAX) ?? null}
      keyOf={({ key }) => key}
      empty={by === 'failures' ? 'No failures.' : 'No mail was sent.'}
      columns={[
        {
          head: 'Name',
          width: '50%',
          cell: (each) => (
            <>
              {link(each)}
              <div
                className={`${classes.bar} ${by === 'failures' ? classes.failed : ''}`}
                style={{ width: `${(size(each.volume) / most) * 100}%` }}
              />
            </>
          ),
        },
        { head: 'Accepted', right: true, cell: ({ volume }) => (volume.accepted ?? 0).toLocaleString() },
        {
          head: delivered,
          right: true,
          cell: ({ volume }) => (volume.delivered ?? 0).toLocaleString(),
        },
        {
          head: 'Failures',
          right: true,
          cell: ({ volume }) => failuresOf(volume).toLocaleString(),
        },
      ]}
    />
  )
}
