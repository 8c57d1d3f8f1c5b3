/**
 * Waiting mail by recipient domain and by company, with the last reply of the domain's servers and the
 * actions on it.
 */
import { Anchor, Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { backlogQuery, type OverviewBacklog } from '../../api/overview.ts'
import { HostName } from '../../parts/host-name.tsx'
import { ListTable, type TableColumn } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import { QueueActions } from './queue-actions.tsx'

type WaitingCounts = Pick<
  OverviewBacklog['companies'][number],
  'waiting' | 'nextDueAt' | 'paused' | 'pausedAlone'
>

export function WaitingByDestination({ company }: { company: string }) {
  const { data } = useQuery(backlogQuery(company))
  if (data === undefined || data.destinations.length === 0) return null
  return (
    <Section
      compact
      title="Waiting mail by recipient domain"
      about="The recipient domains with the most waiting mail, and the last reply of their servers"
    >
      <ListTable
        rows={data.destinations}
        keyOf={({ domain }) => domain}
        spacing="xs"
        columns={[
          {
            head: 'Domain',
            cell: ({ domain, lastMessage, paused }) => (
              <Name paused={paused}>
                <Anchor
                  component={Link}
                  to={`/c/${company}/emails`}
                  // Mail without a reply has not been tried yet, and no filter finds it alone.
                  search={
                    { q: lastMessage === null ? `to:@${domain}` : `to:@${domain} event:delayed` } as never
                  }
                  size="sm"
                >
                  <HostName>{domain}</HostName>
                </Anchor>
              </Name>
            ),
          },
          ...FACTS,
          {
            head: 'Last reply',
            cell: ({ lastMessage }) => lastMessage !== null && <UntrustedText>{lastMessage}</UntrustedText>,
          },
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: ({ domain, ...part }) => <QueueActions company={company} domain={domain} part={part} />,
          },
        ]}
      />
    </Section>
  )
}

/** Waiting mail by company, for operators who view all companies. */
export function WaitingByCompany() {
  const { data } = useQuery(backlogQuery(ALL))
  if (data === undefined || data.companies.length === 0) return null
  return (
    <Section compact title="Waiting mail by company" about="The companies with the most waiting mail">
      <ListTable
        rows={data.companies}
        keyOf={({ company: { id } }) => id}
        spacing="xs"
        columns={[
          {
            head: 'Company',
            cell: ({ company: { id, name }, paused }) => (
              <Name paused={paused}>
                <Anchor component={Link} to={`/c/${id}/overview`} size="sm">
                  <UntrustedText>{name}</UntrustedText>
                </Anchor>
              </Name>
            ),
          },
          ...FACTS,
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: ({ company: { id }, ...part }) => <QueueActions company={id} domain={null} part={part} />,
          },
        ]}
      />
    </Section>
  )
}

const FACTS: readonly TableColumn<WaitingCounts>[] = [
  { head: 'Waiting', right: true, cell: ({ waiting }) => waiting.toLocaleString() },
  { head: 'Next attempt', cell: ({ nextDueAt, paused }) => !paused && <Time at={nextDueAt} /> },
]

function Name({ paused, children }: { paused: boolean; children: ReactNode }) {
  return (
    <Group gap={6}>
      {children}
      {paused && (
        <Badge size="sm" color="orange" variant="light">
          Paused
        </Badge>
      )}
    </Group>
  )
}
