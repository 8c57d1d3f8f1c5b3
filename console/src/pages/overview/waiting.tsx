/** Where mail waits, and whose it is; what the servers there said last, and what can be done about it. */
import { Anchor, Badge, Group, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Backlog, backlogQuery } from '../../api/overview.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import { QueueActions } from './queue-actions.tsx'

type Part = Pick<Backlog['companies'][number], 'waiting' | 'nextDueAt' | 'paused' | 'pausedAlone'>

export function WaitingByDestination({ company }: { company: string }) {
  const { data } = useQuery(backlogQuery(company))
  if (data === undefined || data.destinations.length === 0) return null
  return (
    <Parts
      id="destinations-waiting"
      title="Where mail waits"
      about="The recipient domains with most of it, and what a server there replied last"
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
                  // Who was put off has a reply; what has none was not tried, and is found with all others.
                  search={
                    { q: lastMessage === null ? `to:@${domain}` : `to:@${domain} event:delayed` } as never
                  }
                  size="sm"
                >
                  {domain}
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
    </Parts>
  )
}

/** Of all companies. */
export function WaitingByCompany() {
  const { data } = useQuery(backlogQuery(ALL))
  if (data === undefined || data.companies.length === 0) return null
  return (
    <Parts id="companies-waiting" title="Whose mail waits" about="The companies with most of it">
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
    </Parts>
  )
}

const FACTS: readonly Column<Part>[] = [
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

function Parts({
  id,
  title,
  about,
  children,
}: {
  id: string
  title: string
  about: string
  children: ReactNode
}) {
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Title order={2} size="h5" id={id}>
        {title}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {about}
      </Text>
      {children}
    </Paper>
  )
}
