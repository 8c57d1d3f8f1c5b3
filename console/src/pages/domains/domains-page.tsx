import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Globe, Plus } from 'lucide-react'
import { type Domain, domainsQuery } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { AddDomain } from './add-domain.tsx'
import { CompanyRelay } from './company-relay.tsx'
import { DomainState } from './domain-state.tsx'

const HERE = '/signed-in/c/$company/domains'
/** A shorter list needs no search field. */
const WORTH_A_SEARCH = 10

export function DomainsPage() {
  const company = useCompany()
  const { search, add } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/domains' })
  const { data, error, refetch } = useQuery(domainsQuery(company, search))
  const mayAdd = useMayManage() && company !== ALL
  const setAdd = (open: boolean) =>
    navigate({ search: (before) => ({ ...before, add: open || undefined }), replace: true })
  const addButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdd(true)}>
      Add domain
    </Button>
  )
  return (
    <>
      <PageHead
        title="Domains"
        about="The domains that you send from. DNS records prove that they are yours."
      >
        {mayAdd && addButton}
      </PageHead>
      {error && <ErrorAlert error={error} reset={() => void refetch()} />}
      {!data && !error && <Skeleton h={160} />}
      {data && (data.total > WORTH_A_SEARCH || search !== undefined) && (
        <SearchField
          label="Search domains"
          value={search}
          search={(next) =>
            void navigate({ search: (before) => ({ ...before, search: next }), replace: true })
          }
        />
      )}
      {data && data.domains.length > 0 && <DomainTable domains={data.domains} company={company} />}
      {data && data.domains.length < data.total && (
        <Text c="dimmed" size="sm" mt="sm">
          Showing the newest {data.domains.length} of {data.total}. Search to find others.
        </Text>
      )}
      {data?.total === 0 && search !== undefined && <Text c="dimmed">No domains match “{search}”.</Text>}
      {data?.total === 0 && search === undefined && (
        <Empty icon={Globe} title="No domains yet">
          <p>
            Recipients’ servers trust mail that its domain authenticates. Add your domain and publish its DNS
            records. This page detects them automatically.
          </p>
          {mayAdd && addButton}
          {company === ALL && 'Choose a company to add a domain.'}
        </Empty>
      )}
      {company !== ALL && <CompanyRelay company={company} />}
      {mayAdd && <AddDomain company={company} opened={add === true} close={() => setAdd(false)} />}
    </>
  )
}

function DomainTable({ domains, company }: { domains: readonly Domain[]; company: string }) {
  return (
    <ListTable
      rows={domains}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Domain',
          cell: ({ id, name, company }) => (
            <AnchorLink
              to="/c/$company/domains/$domain"
              params={{ company: company.id, domain: id }}
              fw={600}
            >
              <bdi>{name}</bdi>
            </AnchorLink>
          ),
        },
        { head: 'Status', cell: (domain) => <DomainState of={domain} /> },
        company === ALL && {
          head: 'Company',
          cell: ({ company }) => <UntrustedText>{company.name}</UntrustedText>,
        },
        { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}
