import { Paper, Progress, Skeleton, Table, Text, Title } from '@mantine/core'
import type { Installation } from '../../api/overview.ts'
import { octetsText } from '../../parts/octets.ts'
import { Time } from '../../parts/time.tsx'

const ROLES: Readonly<Record<string, string>> = { api: 'takes mail in', delivery: 'delivers' }

export function Nodes({ nodes }: { nodes: Installation['nodes'] | undefined }) {
  if (nodes === undefined) return <Skeleton h={160} />
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="nodes">
      <Title order={2} size="h5" id="nodes" mb="xs">
        Nodes
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>What it does</Table.Th>
            <Table.Th>Runs since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map(({ name, roles, since }) => (
            <Table.Tr key={`${name} ${since}`}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{roles.map((role) => ROLES[role] ?? role).join(', ')}</Table.Td>
              <Table.Td>
                <Time at={since} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function Storage({ storage }: { storage: Installation['storage'] | undefined }) {
  if (storage === undefined) return <Skeleton h={160} />
  const { engine, database, free } = storage
  const used = free === null ? null : (database / (database + free)) * 100
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="storage">
      <Title order={2} size="h5" id="storage" mb="xs">
        Database
      </Title>
      <Text size="sm">
        {ENGINES[engine]}: {octetsText(database)}
        {free === null ? '' : `, ${octetsText(free)} free on its disk`}
      </Text>
      {used !== null && (
        <Progress
          mt="sm"
          value={used}
          color={free !== null && free < 1_073_741_824 ? 'red' : 'road'}
          aria-label="Part of the disk that the database would have if it took all that is free"
        />
      )}
      {engine === 'postgres' && (
        <Text size="xs" c="dimmed" mt="xs">
          The room on the disk of the database server is not seen from here.
        </Text>
      )}
    </Paper>
  )
}
