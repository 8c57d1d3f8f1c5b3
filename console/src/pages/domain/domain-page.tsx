import { Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { KeyRound, ListChecks, Settings2 } from 'lucide-react'
import { domainQuery } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { DomainState } from '../domains/domain-state.tsx'
import { DkimKeys } from './dkim-keys.tsx'
import { Records } from './records.tsx'
import { DomainSettings } from './settings.tsx'

const HERE = '/signed-in/c/$company/domains/$domain'

export function DomainPage() {
  const { company, domain: id } = useParams({ from: HERE })
  const { tab = 'records' } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/domains/$domain' })
  const { data: domain, error, refetch } = useQuery(domainQuery(company, id))
  return (
    <>
      <AnchorLink to="/c/$company/domains" params={{ company }} size="sm">
        Domains
      </AnchorLink>
      <PageHead title={domain?.name ?? 'Domain'}>{domain && <DomainState of={domain} size="lg" />}</PageHead>
      {error && <ErrorAlert error={error} reset={() => void refetch()} />}
      {!domain && !error && <Skeleton h={240} />}
      {domain && (
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(next) =>
            void navigate({ search: { tab: next === 'dkim' || next === 'settings' ? next : undefined } })
          }
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="records" leftSection={<ListChecks size={16} aria-hidden />}>
              Records
            </Tabs.Tab>
            <Tabs.Tab value="dkim" leftSection={<KeyRound size={16} aria-hidden />}>
              DKIM keys
            </Tabs.Tab>
            <Tabs.Tab value="settings" leftSection={<Settings2 size={16} aria-hidden />}>
              Settings
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="records">
            <Records company={company} domain={domain} />
          </Tabs.Panel>
          <Tabs.Panel value="dkim">
            <DkimKeys company={company} domain={domain} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <DomainSettings key={domain.id} company={company} domain={domain} />
          </Tabs.Panel>
        </Tabs>
      )}
    </>
  )
}
