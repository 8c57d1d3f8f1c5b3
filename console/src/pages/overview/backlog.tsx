import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { backlogQuery, waitingDomainsQuery } from '../../api/queue.ts'
import { Pending } from '../../parts/pending.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { RetryButton } from '../../shell/queue-actions.tsx'
import classes from './overview.module.css'

/** The recipients in the queue now. */
export function BacklogCard({ company }: { company: string }) {
  const query = useQuery(backlogQuery(company))
  // The table below asks for the same page.
  const { data: domains } = useQuery(waitingDomainsQuery(company, 1))
  const mayManage = useMayManage()
  const { data } = query
  if (!data) return <Pending of={query} height={270} />
  return (
    <Section
      compact
      title="Queue"
      about="Recipients in the queue now"
      action={
        mayManage &&
        domains?.retriable && <RetryButton company={company} domain={null} waiting={data.waiting} />
      }
    >
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
    </Section>
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
