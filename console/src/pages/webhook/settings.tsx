import { Group, TextInput } from '@mantine/core'
import { changeWebhook, type WebhookDetail } from '../../api/webhooks.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { EventChoice } from '../webhooks/event-choice.tsx'

export function Settings({ of: { company, id, url, dialect, everything, events } }: { of: WebhookDetail }) {
  const form = useForm({
    initial: { url, events: everything ? [] : events, some: !everything },
    submit: ({ url, events, some }) =>
      changeWebhook(company, id, { url: url.trim(), events: some ? events : [] }).then(() => 'Saved.'),
    errorAt: 'url',
    valid: ({ url, events, some }) => url.trim() !== '' && (!some || events.length > 0),
  })
  return (
    <Form
      of={form}
      gap="md"
      maw={640}
      actions={
        <Group>
          <SubmitButton>Save</SubmitButton>
          <span role="status">{form.result}</span>
        </Group>
      }
    >
      <TextInput label="URL" autoComplete="off" spellCheck={false} required {...form.field('url')} />
      <EventChoice dialect={dialect} {...form.values} onChange={form.set} />
    </Form>
  )
}
