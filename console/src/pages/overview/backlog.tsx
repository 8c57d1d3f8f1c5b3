import { Anchor, Button, Group, Paper, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { backlogQuery } from '../../api/overview.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import classes from './overview.module.css'
import { askRetry } from './queue-actions.tsx'

/** The recipients in the queue now. */
export function BacklogCard({ company }: { company: string }) {
  const { data, error, refetch } = useQuery(backlogQuery(company))
  const mayManage = useMayManage()
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (data === undefined) return <Skeleton h={270} />
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="backlog">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <div>
          <Title order={2} size="h5" id="backlog">
            Queue
          </Title>
          <Text size="xs" c="dimmed">
            Recipients in the queue now
          </Text>
        </div>
        {mayManage && data.waiting > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<RotateCw size={14} aria-hidden />}
            onClick={() => askRetry(company, null)}
          >
            Retry all now
          </Button>
        )}
      </Group>
      <dl className={classes.facts}>
        <Fact word="Waiting" value={data.waiting} />
        <Fact word="Being sent" value={data.sending} />
        <Fact word="Quarantined" value={data.quarantined} />
      </dl>
      <Text size="sm" mt="md">
        {data.oldest === null ? (
          'No mail is waiting.'
        ) : (
          <>
            <Anchor component={Link} to={`/c/${company}/emails/${data.oldest.id}`} inherit>
              The oldest waiting email
            </Anchor>{' '}
            was accepted <Time at={data.oldest.at} />.
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
