import { Alert, Progress, Skeleton, Text } from '@mantine/core'
import type { InstallationJson } from '../../api/overview.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { octetsText } from '../../parts/octets.ts'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'

const ROLES: Readonly<Record<string, string>> = { api: 'accepts mail', delivery: 'delivers mail' }

export function Nodes({ nodes }: { nodes: InstallationJson['nodes'] | undefined }) {
  if (nodes === undefined) return <Skeleton h={160} />
  return (
    <Section
      compact
      title="Nodes"
      about="The processes that are running. A node that stops or no longer responds disappears from this list."
    >
      {!nodes.some(({ roles }) => roles.includes('delivery')) && (
        <Alert color="red" variant="light" title="No delivery node is running" mb="xs">
          Mail is accepted but not delivered. Start a node with the role delivery.
        </Alert>
      )}
      <ListTable
        rows={nodes}
        keyOf={({ name, since }) => `${name} ${since}`}
        spacing="xs"
        columns={[
          { head: 'Name', cell: ({ name }) => name },
          { head: 'Roles', cell: ({ roles }) => roles.map((role) => ROLES[role] ?? role).join(', ') },
          { head: 'Started', cell: ({ since }) => <Time at={since} /> },
        ]}
      />
    </Section>
  )
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function Storage({ storage }: { storage: InstallationJson['storage'] | undefined }) {
  if (storage === undefined) return <Skeleton h={160} />
  const { engine, database, free } = storage
  const used = free === null ? null : (database / (database + free)) * 100
  return (
    <Section compact title="Database">
      <Text size="sm">
        {ENGINES[engine]}: {octetsText(database)}
        {free === null ? '' : `, ${octetsText(free)} free on disk`}
      </Text>
      {used !== null && (
        <Progress
          mt="sm"
          value={used}
          color={free !== null && free < 1_073_741_824 ? 'red' : 'road'}
          aria-label="Size of the database compared with the free disk space"
        />
      )}
      {engine === 'postgres' && (
        <Text size="xs" c="dimmed" mt="xs">
          Postroad cannot see the free disk space of the database server.
        </Text>
      )}
    </Section>
  )
}
