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
/** Fewer are seen at a glance. */
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
        about="Mail is sent from domains that are yours, and shown to be so by DNS records."
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
          The newest {data.domains.length} of {data.total}: search for another one.
        </Text>
      )}
      {data?.total === 0 && search !== undefined && (
        <Text c="dimmed">No domain has “{search}” in its name.</Text>
      )}
      {data?.total === 0 && search === undefined && (
        <Empty icon={Globe} title="No domain yet">
          <p>
            Receivers trust mail whose domain vouches for it. Add yours, publish the DNS records that are
            shown, and this page sees by itself when they are there.
          </p>
          {mayAdd && addButton}
          {company === ALL && 'Choose a company to add one.'}
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
