import { Alert, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Send } from 'lucide-react'
import { useState } from 'react'
import { type TestAnswer, testWebhook, type WebhookDetail, wordsQuery } from '../../api/webhooks.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'

/** Sends a sample event, and shows the answer. */
export function SendTest({ of: { company, id, dialect } }: { of: WebhookDetail }) {
  const { data: words } = useQuery(wordsQuery)
  const [event, setEvent] = useState<string | null>(null)
  const choices = words?.[dialect].map(({ word }) => word) ?? []
  const chosen = event ?? choices.find((word) => word.endsWith('delivered')) ?? choices[0] ?? null
  const testing = useMutation({ mutationFn: () => testWebhook(company, id, chosen!) })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Sends a sample event, signed like a real one. It is not retried.
      </Text>
      <Group align="flex-end">
        <Select label="Event" data={choices} value={chosen} onChange={setEvent} allowDeselect={false} />
        <Button
          leftSection={<Send size={16} aria-hidden />}
          onClick={() => testing.mutate()}
          loading={testing.isPending}
          disabled={chosen === null}
        >
          Send test
        </Button>
      </Group>
      {testing.error && <ErrorAlert error={testing.error} />}
      {testing.data && <Tested of={testing.data} />}
    </Stack>
  )
}

function Tested({ of: { status, error, response, duration, body, headers } }: { of: TestAnswer }) {
  const taken = status !== null && status >= 200 && status < 300
  return (
    <Stack aria-live="polite">
      <Alert
        color={taken ? 'road' : 'red'}
        variant="light"
        icon={taken ? <CircleCheck aria-hidden /> : <CircleX aria-hidden />}
        title={status === null ? 'No answer' : `Answered with ${status} after ${duration} ms`}
      >
        {error ??
          (taken
            ? 'Your application accepted the event.'
            : 'Real events that are not answered with 2xx are retried.')}
      </Alert>
      {response !== '' && (
        <>
          <Title order={2} size="h5">
            Response
          </Title>
          <CodeBlock code={response} what="the response" wrap />
        </>
      )}
      <Title order={2} size="h5">
        Request
      </Title>
      <CodeBlock
        code={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        what="the headers"
        wrap
      />
      <CodeBlock code={body} what="the body" wrap />
    </Stack>
  )
}
