import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Globe } from 'lucide-react'
import { domainsQuery } from '../../api/domains.ts'
import { useMe } from '../../api/session.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchableList } from '../../parts/searchable-list.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useAddDialog } from '../../shell/add-dialog.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { AddDomain } from './add-domain.tsx'
import { CompanyRelay } from './company-relay.tsx'
import { DomainState } from './domain-state.tsx'

const HERE = '/signed-in/c/$company/domains'

export function DomainsPage() {
  const company = useCompany()
  const { search } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/domains' })
  const { companies } = useMe()
  const query = useQuery(domainsQuery(company, search))
  const { data } = query
  const adding = useAddDialog('Add domain')
  return (
    <>
      <PageHead title="Domains" about="The domains that you send from. DNS records prove that you own them.">
        {adding?.button(data?.domains.length === 0 ? 'default' : 'filled')}
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
                <HostName>{name}</HostName>
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
          <Empty
            icon={Globe}
            title="No domains yet"
            action={<NextStep here="domain" otherwise={adding?.button()} />}
          >
            Recipients’ servers trust mail that its domain authenticates. Add your domain and publish its DNS
            records. Postroad looks them up and shows what it finds.
            {company === ALL && companies.length > 1 && ' Choose a company to add a domain.'}
          </Empty>
        }
      />
      {company !== ALL && <CompanyRelay company={company} />}
      {adding && <AddDomain {...adding.dialog} />}
    </>
  )
}
