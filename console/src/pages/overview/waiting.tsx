/** Where mail waits, and whose it is; what the servers there said last, and what can be done about it. */
import { Anchor, Badge, Group, Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Backlog, backlogQuery } from '../../api/overview.ts'

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
      head={
        <>
          <Table.Th>Domain</Table.Th>
          <PartHead />
          <Table.Th>Last reply</Table.Th>
        </>
      }
    >
      {data.destinations.map(({ domain, lastMessage, ...part }) => (
        <Table.Tr key={domain}>
          <PartName part={part}>
            <Anchor
              component={Link}
              to={`/c/${company}/emails`}
              // Who was put off has a reply; what has none was not tried, and is found with all others.
              search={{ q: lastMessage === null ? `to:@${domain}` : `to:@${domain} event:delayed` } as never}
              size="sm"
            >
              {domain}
            </Anchor>
          </PartName>
          <PartFacts part={part} />
          <Table.Td>{lastMessage !== null && <UntrustedText>{lastMessage}</UntrustedText>}</Table.Td>
          <Table.Td ta="right">
            <QueueActions company={company} domain={domain} part={part} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Parts>
  )
}

/** Of all companies. */
export function WaitingByCompany() {
  const { data } = useQuery(backlogQuery(ALL))
  if (data === undefined || data.companies.length === 0) return null
  return (
    <Parts
      id="companies-waiting"
      title="Whose mail waits"
      about="The companies with most of it"
      head={
        <>
          <Table.Th>Company</Table.Th>
          <PartHead />
        </>
      }
    >
      {data.companies.map(({ company: { id, name }, ...part }) => (
        <Table.Tr key={id}>
          <PartName part={part}>
            <Anchor component={Link} to={`/c/${id}/overview`} size="sm">
              <UntrustedText>{name}</UntrustedText>
            </Anchor>
          </PartName>
          <PartFacts part={part} />
          <Table.Td ta="right">
            <QueueActions company={id} domain={null} part={part} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Parts>
  )
}

interface PartsProps {
  id: string
  title: string
  about: string
  head: ReactNode
  children: ReactNode
}

function Parts({ id, title, about, head, children }: PartsProps) {
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Title order={2} size="h5" id={id}>
        {title}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {about}
      </Text>
      <Table.ScrollContainer minWidth={560}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {head}
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function PartHead() {
  return (
    <>
      <Table.Th ta="right">Waiting</Table.Th>
      <Table.Th>Next attempt</Table.Th>
    </>
  )
}

function PartName({ part, children }: { part: Part; children: ReactNode }) {
  return (
    <Table.Td>
      <Group gap={6} wrap="nowrap">
        {children}
        {part.paused && (
          <Badge size="sm" color="orange" variant="light">
            Paused
          </Badge>
        )}
      </Group>
    </Table.Td>
  )
}

function PartFacts({ part: { waiting, nextDueAt, paused } }: { part: Part }) {
  return (
    <>
      <Table.Td ta="right">{waiting.toLocaleString()}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{paused ? '' : <Time at={nextDueAt} />}</Table.Td>
    </>
  )
}
