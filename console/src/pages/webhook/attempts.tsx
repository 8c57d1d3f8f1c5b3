import { Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleX, Inbox } from 'lucide-react'
import { useState } from 'react'
import { type AttemptItem, attemptsQuery, type WebhookDetail } from '../../api/webhooks.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { PageLinks } from '../../parts/page-links.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Time } from '../../parts/time.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { AttemptDetail } from './attempt-detail.tsx'
import { ReplaySince } from './replay-since.tsx'

const HERE = '/signed-in/c/$company/webhooks/$id'

/** The attempts of a webhook, newest first. The first page is polled. */
export function Attempts({ of: webhook, mayManage }: { of: WebhookDetail; mayManage: boolean }) {
  const { company, id } = webhook
  const { result, message, before } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/webhooks/$id' })
  const query = useQuery(attemptsQuery(company, id, { result, message, before }))
  const { data } = query
  const last = data?.data.at(-1)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Result"
          value={result ?? 'all'}
          onChange={(value) =>
            void navigate({
              search: (now) => ({ ...now, before: undefined, result: value === 'all' ? undefined : value }),
              replace: true,
            })
          }
          data={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
            { value: 'succeeded', label: 'Succeeded' },
          ]}
        />
        {mayManage && webhook.status === 'enabled' && <ReplaySince of={webhook} />}
      </Group>
      {message !== undefined && (
        <Text size="sm">
          Attempts for one message.{' '}
          <AnchorLink to="/c/$company/webhooks/$id" params={{ company, id }} search={{}}>
            Show all
          </AnchorLink>
        </Text>
      )}
      {!data && <Pending of={query} height={160} />}
      {data?.data.length === 0 && (
        <Empty icon={Inbox} title={result === 'failed' ? 'No failed attempts' : 'No attempts yet'}>
          Each attempt appears here with its request, its response, and the time of the next attempt.
        </Empty>
      )}
      {data?.data.map((tried) => (
        <Attempt key={tried.id} of={tried} webhook={webhook} mayManage={mayManage} />
      ))}
      <PageLinks
        links={[
          before !== undefined && ['Newest', { result, message }],
          data?.more === true && last !== undefined && ['Older', { result, message, before: last.id }],
        ]}
      />
    </Stack>
  )
}

function Attempt({
  of: tried,
  webhook,
  mayManage,
}: {
  of: AttemptItem
  webhook: WebhookDetail
  mayManage: boolean
}) {
  const [open, setOpen] = useState(false)
  const { succeeded, word, recipient, status, error, duration, attempt, at, nextAt } = tried
  const Icon = succeeded ? CircleCheck : CircleX
  return (
    <Paper withBorder p="sm" component="article" aria-label={`${word}, attempt ${attempt}`}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Icon
            size={18}
            color={`var(--mantine-color-${succeeded ? 'road' : 'red'}-text)`}
            style={{ flexShrink: 0 }}
            aria-hidden
          />
          <div>
            <Text fw={600} size="sm">
              {word}{' '}
              <Text component="span" c="dimmed" fw={400} inherit>
                {status === null ? 'no answer' : `answered with ${status}`}
              </Text>
            </Text>
            <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
              {recipient !== null && `${visible(recipient)}, `}
              <Time at={at} />, attempt {attempt}, {duration} ms{error !== null && `: ${error}`}
              {nextAt !== null && Date.parse(nextAt) > Date.now() && (
                <>
                  {'; next attempt '}
                  <Time at={nextAt} />
                </>
              )}
            </Text>
          </div>
        </Group>
        <Button size="xs" variant="default" onClick={() => setOpen(!open)} aria-expanded={open}>
          {open ? 'Less' : 'Details'}
        </Button>
      </Group>
      {open && <AttemptDetail of={tried} webhook={webhook} mayManage={mayManage} />}
    </Paper>
  )
}
