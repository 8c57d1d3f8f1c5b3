import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { type AttemptItem, messageQuery, replayMessage, type WebhookDetail } from '../../api/webhooks.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Time } from '../../parts/time.tsx'
import { visible } from '../../parts/untrusted-text.tsx'

const STATUS = {
  pending: 'This message is about to be sent.',
  attempting: 'This message has not succeeded yet and will be retried.',
  success: 'This message has succeeded.',
  failed: 'This message has failed and will not be retried.',
  unknown: 'The status of this message is no longer stored.',
} as const

/** The request and the response of an attempt, and the status of its message. */
export function AttemptDetail({
  of: { message, email, response },
  webhook: { company, id, status },
  mayManage,
}: {
  of: AttemptItem
  webhook: WebhookDetail
  mayManage: boolean
}) {
  const query = useQuery(messageQuery(company, id, message))
  const { data } = query
  return (
    <Stack gap="xs" mt="sm">
      {data && (
        <Text size="sm">
          {STATUS[data.status]}
          {data.nextAt !== null && (
            <>
              {' Next attempt '}
              <Time at={data.nextAt} />.
            </>
          )}
        </Text>
      )}
      <Group gap="xs">
        {mayManage && (
          <ActionButton
            size="xs"
            variant="filled"
            leftSection={<RotateCw size={14} aria-hidden />}
            disabled={status === 'disabled'}
            run={() => replayMessage(company, id, message)}
            done="Sending the message again."
          >
            Replay
          </ActionButton>
        )}
        <AnchorLink size="sm" to="/c/$company/webhooks/$id" params={{ company, id }} search={{ message }}>
          All attempts
        </AnchorLink>
        {email !== null && (
          <AnchorLink size="sm" to="/c/$company/emails/$id" params={{ company, id: email }}>
            View email
          </AnchorLink>
        )}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Copy value={message} what="the id" />
      </Group>
      <Title order={2} size="h6">
        Response
      </Title>
      {response === '' ? (
        <Text size="sm" c="dimmed">
          The response had no body.
        </Text>
      ) : (
        <CodeBlock code={visible(response)} what="the response" wrap />
      )}
      <Title order={2} size="h6">
        Request
      </Title>
      {data ? <CodeBlock code={data.body} what="the body" wrap /> : <Pending of={query} height={120} />}
    </Stack>
  )
}
