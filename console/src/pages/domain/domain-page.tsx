import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChartNoAxesColumn, KeyRound, ListChecks, Settings2 } from 'lucide-react'
import { Suspense } from 'react'
import { domainQuery } from '../../api/domains.ts'
import { isMissing } from '../../api/queries.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { later } from '../../parts/later.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { Pending } from '../../parts/pending.tsx'
import { NextStep } from '../../shell/next-step.tsx'
import { ObjectNotFound } from '../../shell/not-found.tsx'
import { DomainState } from '../domains/domain-state.tsx'
import { DkimKeys } from './dkim-keys.tsx'
import { Records } from './records.tsx'
import { DomainSettings } from './settings.tsx'

const DomainReports = later(() => import('./reports.tsx'), 'DomainReports')

const HERE = '/signed-in/c/$company/domains/$domain'

export function DomainPage() {
  const { company, domain: id } = useParams({ from: HERE })
  const { tab } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/domains/$domain' })
  const query = useQuery(domainQuery(company, id))
  const { data: domain } = query
  if (domain === undefined && isMissing(query)) return <ObjectNotFound kind="domain" id={id} />
  return (
    <>
      <AnchorLink to="/c/$company/domains" params={{ company }} size="sm">
        Domains
      </AnchorLink>
      <PageHead title={domain?.name ?? 'Domain'}>{domain && <DomainState of={domain} size="lg" />}</PageHead>
      {domain === undefined ? (
        <Pending of={query} />
      ) : (
        <PageTabs
          shown={tab}
          onShow={(tab) => void navigate({ search: { tab } })}
          tabs={[
            {
              label: 'Records',
              icon: ListChecks,
              content: <Records company={company} domain={domain} next={<NextStep />} />,
            },
            {
              name: 'dkim',
              label: 'DKIM keys',
              icon: KeyRound,
              content: <DkimKeys company={company} domain={domain} />,
            },
            {
              name: 'reports',
              label: 'Reports',
              icon: ChartNoAxesColumn,
              content: (
                <Suspense>
                  <DomainReports company={company} domain={domain.id} />
                </Suspense>
              ),
            },
            {
              name: 'settings',
              label: 'Settings',
              icon: Settings2,
              content: <DomainSettings key={domain.id} company={company} domain={domain} />,
            },
          ]}
        />
      )}
    </>
  )
}
