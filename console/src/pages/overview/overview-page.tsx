/** How mail has been delivered: charts first, their numbers beside them. */
import { SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { type OverviewSpan, volumeQuery } from '../../api/overview.ts'
import { Empty } from '../../parts/empty.tsx'
import { later } from '../../parts/later.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { useNextStep } from '../../shell/guide.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { BacklogCard } from './backlog.tsx'
import { ByCompany, ByDomain, Destinations } from './breakdowns.tsx'
import { type FilteredProps, FilterPills, useFilter } from './filter.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { SPAN_WORDS } from './spans.ts'
import { Totals } from './totals.tsx'
import { VolumeChart } from './volume-chart.tsx'

const Alerts = later(() => import('./alerts.tsx'), 'Alerts')
const Explain = later(() => import('./explain.tsx'), 'Explain')
const Quarantine = later(() => import('./quarantine.tsx'), 'Quarantine')
const Reasons = later(() => import('./reasons.tsx'), 'Reasons')
const WaitingMail = later(() => import('./waiting.tsx'), 'WaitingMail')

export function OverviewPage() {
  const company = useCompany()
  const { span = 'day', explain } = useSearch({ from: '/signed-in/c/$company/overview' })
  // A link to an explanation shows it first. A question that is asked further down is answered there.
  const [isLinked] = useState(explain !== undefined)
  const filter = useFilter()
  const navigate = useNavigate({ from: '/c/$company/overview' })
  const next = useNextStep()
  const { data } = useQuery(volumeQuery(company, span, filter))
  const isFirstHour = next !== undefined && next.step !== null && data !== undefined && isEmpty(data.totals)
  const explanation = (
    <Suspense fallback={<Skeleton h={130} />}>
      <Explain company={company} />
    </Suspense>
  )
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
      <Suspense>
        <Alerts company={company} />
      </Suspense>
      <Stack gap="md">
        {isLinked && explanation}
        {isFirstHour ? (
          <Empty icon={Rocket} title="No mail yet" action={<NextStep />}>
            Once mail is sent, charts of it appear here.
          </Empty>
        ) : (
          <Figures company={company} span={span} filter={filter}>
            {!isLinked && explanation}
          </Figures>
        )}
      </Stack>
    </>
  )
}

/** A company may have counts although its emails were removed when they were old enough. */
function isEmpty(totals: Record<string, number>): boolean {
  return Object.values(totals).every((count) => count === 0)
}

function Figures({ company, span, filter, children }: FilteredProps & { children: ReactNode }) {
  return (
    <>
      <FilterPills company={company} span={span} />
      <Totals company={company} span={span} filter={filter} />
      <VolumeChart company={company} span={span} filter={filter} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <LatencyChart company={company} span={span} />
        <BacklogCard company={company} />
      </SimpleGrid>
      <Suspense>
        <WaitingMail company={company} />
      </Suspense>
      <Suspense>
        <Quarantine company={company} />
      </Suspense>
      {children}
      <Destinations company={company} span={span} />
      <Suspense>
        <Reasons company={company} span={span} />
      </Suspense>
      {company === ALL ? <ByCompany span={span} /> : <ByDomain company={company} span={span} />}
    </>
  )
}
