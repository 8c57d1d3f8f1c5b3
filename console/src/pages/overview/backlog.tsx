import { Anchor, Badge, Group, Paper, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Backlog, backlogQuery } from '../../api/overview.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import classes from './overview.module.css'

/** What is under way now. */
export function BacklogCard({ company }: { company: string }) {
  const { data, error, refetch } = useQuery(backlogQuery(company))
  if (error) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="backlog">
      <Title order={2} size="h5" id="backlog">
        Queue
      </Title>
      <Text size="xs" c="dimmed" mb="md">
        Recipients, now
      </Text>
      <dl className={classes.facts}>
        <Fact word="Waiting" value={data.waiting} />
        <Fact word="Being sent" value={data.sending} />
        <Fact word="Quarantined" value={data.quarantined} />
      </dl>
      <Text size="sm" mt="md">
        {data.oldestAt === null ? (
          'Nothing waits.'
        ) : (
          <>
            The oldest that waits was accepted <Time at={data.oldestAt} />.
          </>
        )}
      </Text>
    </Paper>
  )
}

function Fact({ word, value }: { word: string; value: number }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {word}
      </Text>
      <Text component="dd" m={0} fw={650} fz={26}>
        {value.toLocaleString()}
      </Text>
    </div>
  )
}

/** Where most waits, and what the servers there said last. */
export function WorstLanes({ company }: { company: string }) {
  const { data } = useQuery(backlogQuery(company))
  if (data === undefined || data.lanes.length === 0) return null
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="lanes">
      <Title order={2} size="h5" id="lanes">
        Where mail waits
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        The recipient domains with most of it, and their last reply
      </Text>
      <ListTable
        rows={data.lanes}
        keyOf={({ company, domain }) => `${company.id} ${domain}`}
        spacing="xs"
        columns={[
          { head: 'Domain', cell: (lane) => <Lane of={lane} /> },
          company === ALL && {
            head: 'Company',
            cell: (lane) => <UntrustedText>{lane.company.name}</UntrustedText>,
          },
          { head: 'Waiting', right: true, cell: ({ waiting }) => waiting.toLocaleString() },
          { head: 'Next attempt', cell: ({ nextDueAt }) => nextDueAt !== null && <Time at={nextDueAt} /> },
          {
            head: 'Last reply',
            cell: ({ lastMessage }) => lastMessage !== null && <UntrustedText>{lastMessage}</UntrustedText>,
          },
        ]}
      />
    </Paper>
  )
}

function Lane({ of: { company, domain, paused } }: { of: Backlog['lanes'][number] }) {
  return (
    <Group gap={6}>
      <Anchor
        component={Link}
        to={`/c/${company.id}/emails`}
        search={{ q: `to:@${domain}` } as never}
        size="sm"
      >
        {domain}
      </Anchor>
      {paused && (
        <Badge size="sm" color="orange" variant="light">
          Paused
        </Badge>
      )}
    </Group>
  )
}
