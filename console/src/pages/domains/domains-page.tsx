import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Globe, Plus } from 'lucide-react'
import { domainsQuery } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchableList } from '../../parts/searchable-list.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { AddDomain } from './add-domain.tsx'
import { CompanyRelay } from './company-relay.tsx'
import { DomainState } from './domain-state.tsx'

const HERE = '/signed-in/c/$company/domains'

export function DomainsPage() {
  const company = useCompany()
  const { search, add } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/domains' })
  const query = useQuery(domainsQuery(company, search))
  const { data } = query
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
      <SearchableList
        what="domains"
        query={query}
        total={data?.total}
        search={search}
        onSearch={(next) =>
          void navigate({ search: (before) => ({ ...before, search: next }), replace: true })
        }
        rows={data?.domains}
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
        empty={
          <Empty icon={Globe} title="No domains yet">
            <p>
              Recipients’ servers trust mail that its domain authenticates. Add your domain and publish its
              DNS records. This page detects them automatically.
            </p>
            {mayAdd && addButton}
            {company === ALL && 'Choose a company to add a domain.'}
          </Empty>
        }
      />
      {company !== ALL && <CompanyRelay company={company} />}
      {mayAdd && <AddDomain company={company} opened={add === true} close={() => setAdd(false)} />}
    </>
  )
}
