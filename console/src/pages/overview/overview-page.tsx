/** How mail has been delivered: charts first, their numbers beside them. */
import { SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { OverviewSpan } from '../../api/overview.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { BacklogCard } from './backlog.tsx'
import { ByCompany, ByDomain, Destinations } from './breakdowns.tsx'
import { FilterPills, useFilter } from './filter.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { SPAN_WORDS } from './spans.ts'
import { Totals } from './totals.tsx'
import { VolumeChart } from './volume-chart.tsx'
import { WaitingByCompany, WaitingByDestination } from './waiting.tsx'

export function OverviewPage() {
  const company = useCompany()
  const { span = 'day' } = useSearch({ from: '/signed-in/c/$company/overview' })
  const filter = useFilter()
  const navigate = useNavigate({ from: '/c/$company/overview' })
  return (
    <>
      <PageHead title="Overview" about={`Mail in the last ${SPAN_WORDS[span].last}.`}>
        <SegmentedControl
          aria-label="Period"
          value={span}
          data={Object.entries(SPAN_WORDS).map(([value, { label }]) => ({ value, label }))}
          onChange={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, span: chosen as OverviewSpan }),
              replace: true,
            })
          }
        />
      </PageHead>
      <Stack gap="md">
        <FilterPills company={company} span={span} />
        <Totals company={company} span={span} filter={filter} />
        <VolumeChart company={company} span={span} filter={filter} />
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <LatencyChart company={company} span={span} />
          <BacklogCard company={company} />
        </SimpleGrid>
        <WaitingByDestination company={company} />
        {company === ALL && <WaitingByCompany />}
        <Destinations company={company} span={span} />
        {company === ALL ? <ByCompany span={span} /> : <ByDomain company={company} span={span} />}
      </Stack>
    </>
  )
}
