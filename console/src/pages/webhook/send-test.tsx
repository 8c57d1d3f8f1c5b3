import { Alert, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Send } from 'lucide-react'
import { type TestAnswer, testWebhook, type WebhookDetail, wordsQuery } from '../../api/webhooks.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'

/** Sends a sample event, and shows the answer. */
export function SendTest({ of: { company, id, dialect } }: { of: WebhookDetail }) {
  const { data: words } = useQuery(wordsQuery)
  const choices = words?.[dialect].map(({ word }) => word) ?? []
  const first = choices.find((word) => word.endsWith('delivered')) ?? choices[0] ?? null
  const form = useForm({
    initial: { event: null as string | null },
    submit: ({ event }) => testWebhook(company, id, (event ?? first)!),
  })
  const chosen = form.values.event ?? first
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Sends a sample event, signed like a real one. It is not retried.
      </Text>
      <Form of={form}>
        <Group align="flex-end">
          <Select
            label="Event"
            data={choices}
            allowDeselect={false}
            {...form.field('event')}
            value={chosen}
          />
          <SubmitButton leftSection={<Send size={16} aria-hidden />} disabled={chosen === null}>
            Send test
          </SubmitButton>
        </Group>
      </Form>
      {form.result && <Tested of={form.result} />}
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
