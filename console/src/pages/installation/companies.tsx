import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { byCompanyQuery } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useDeliveredWord } from '../overview/delivered-word.ts'
import { CompanyForm } from './company-form.tsx'

const COUNTED = [
  { head: 'Accepted', type: 'accepted' },
  { head: null, type: 'delivered' },
  { head: 'Bounced', type: 'bounced' },
]

/** All companies, with the counts of the last 30 days. */
export function Companies() {
  const { companies } = useMe()
  const delivered = useDeliveredWord()
  const { data } = useQuery(byCompanyQuery('month'))
  const volumes = new Map(data?.volumes?.map(({ key, volume }) => [key, volume]))
  if (data === undefined) return <Skeleton h={200} />
  const accepted = ({ id }: { id: string }) => volumes.get(id)?.accepted ?? 0
  return (
    <Section compact title="Companies" about="Mail of the last 30 days, busiest companies first">
      <PagedList
        what="companies"
        find="Name of a company"
        textOf={({ name }) => name}
        rows={companies.toSorted((a, b) => accepted(b) - accepted(a))}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: ({ id, name }) => (
              <AnchorLink to="/c/$company/overview" params={{ company: id }}>
                <UntrustedText>{name}</UntrustedText>
              </AnchorLink>
            ),
          },
          ...COUNTED.map(({ head, type }) => ({
            head: head ?? delivered,
            right: true,
            cell: ({ id }: { id: string }) => (volumes.get(id)?.[type] ?? 0).toLocaleString(),
          })),
        ]}
      />
      <CompanyForm
        label="New company"
        button={{ variant: 'default', leftSection: <Plus size={16} aria-hidden />, children: 'Add' }}
      />
    </Section>
  )
}
