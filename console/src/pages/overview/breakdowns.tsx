/** The same numbers by whom mail was for, and by who sent it. */
import { ActionIcon, Group, Paper, SimpleGrid, Skeleton, Table, Text, Title, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useId } from 'react'
import {
  byCompanyQuery,
  byDomainQuery,
  destinationsQuery,
  type Span,
  type Volumes,
} from '../../api/overview.ts'
import { csvOf, download } from '../../parts/csv.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import classes from './overview.module.css'

export function Destinations({ company, span }: { company: string; span: Span }) {
  const { data, error, refetch } = useQuery(destinationsQuery(company, span))
  if (error) return <ErrorAlert error={error} reset={() => void refetch()} />
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Breakdown
        title="To whom"
        about="The recipient domains with most mail"
        volumes={data?.busiest}
        by="accepted"
      />
      <Breakdown
        title="Where mail fails"
        about="The recipient domains at which most bounced or failed"
        volumes={data?.failing}
        by="failures"
      />
    </SimpleGrid>
  )
}

export function ByDomain({ company, span }: { company: string; span: Span }) {
  const { data, error, refetch } = useQuery(byDomainQuery(company, span))
  if (error) return <ErrorAlert error={error} reset={() => void refetch()} />
  return <Breakdown title="From whom" about="By sending domain" volumes={data?.volumes} by="accepted" />
}

export function ByCompany({ span }: { span: Span }) {
  const { data, error, refetch } = useQuery(byCompanyQuery(span))
  if (error) return <ErrorAlert error={error} reset={() => void refetch()} />
  return <Breakdown title="Companies" about="Who sends most" volumes={data?.volumes} by="accepted" />
}

type Volume = Volumes[number]['volume']

const failuresOf = ({ bounced = 0, failed = 0 }: Volume) => bounced + failed

/** `volumes`: undefined while they are not here; null: too many to add up. */
function Breakdown({
  title,
  about,
  volumes,
  by,
}: {
  title: string
  about: string
  volumes: Volumes | null | undefined
  by: 'accepted' | 'failures'
}) {
  const id = useId()
  if (volumes === undefined) return <Skeleton h={220} />
  const size = (volume: Volume) => (by === 'failures' ? failuresOf(volume) : (volume.accepted ?? 0))
  const most = Math.max(1, ...(volumes ?? []).map(({ volume }) => size(volume)))
  const save = () => {
    const types = [...new Set((volumes ?? []).flatMap(({ volume }) => Object.keys(volume)))].sort()
    const rows = (volumes ?? []).map(({ name, volume }) => [
      name,
      ...types.map((type) => String(volume[type] ?? 0)),
    ])
    download(`${title.toLowerCase().replaceAll(' ', '-')}.csv`, csvOf([['name', ...types], ...rows]))
  }
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
        <div>
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        </div>
        <Tooltip label="Save as CSV">
          <ActionIcon variant="subtle" color="gray" aria-label={`${title}: save as CSV`} onClick={save}>
            <Download size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      {volumes === null && <Text size="sm">There is more than can be added up here: choose less time.</Text>}
      {volumes?.length === 0 && (
        <Text size="sm" c="dimmed">
          {by === 'failures' ? 'Nothing failed.' : 'Nothing was sent.'}
        </Text>
      )}
      {volumes !== null && volumes.length > 0 && (
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Accepted</Table.Th>
              <Table.Th ta="right">Delivered</Table.Th>
              <Table.Th ta="right">Failed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {volumes.slice(0, 10).map(({ key, name, volume }) => (
              <Table.Tr key={key}>
                <Table.Td w="50%">
                  <Text size="sm" truncate="end">
                    <bdi>{name}</bdi>
                  </Text>
                  <div
                    className={`${classes.bar} ${by === 'failures' ? classes.failed : ''}`}
                    style={{ width: `${(size(volume) / most) * 100}%` }}
                  />
                </Table.Td>
                <Table.Td ta="right">{(volume.accepted ?? 0).toLocaleString()}</Table.Td>
                <Table.Td ta="right">{(volume.delivered ?? 0).toLocaleString()}</Table.Td>
                <Table.Td ta="right">{failuresOf(volume).toLocaleString()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  )
}
