import { Button, Group, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changeWebhook, type WebhookDetail } from '../../api/webhooks.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'
import { EventChoice } from '../webhooks/event-choice.tsx'

export function Settings({ of: webhook }: { of: WebhookDetail }) {
  const { company, id, dialect } = webhook
  const [url, setUrl] = useState(webhook.url)
  const [chosen, setChosen] = useState({
    events: webhook.everything ? [] : webhook.events,
    some: !webhook.everything,
  })
  const saving = useMutation({
    mutationFn: () =>
      changeWebhook(company, id, { url: url.trim(), events: chosen.some ? chosen.events : [] }),
  })
  return (
    <Form mutation={saving} gap="md" maw={640}>
      <TextInput
        label="URL"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <EventChoice
        dialect={dialect}
        value={chosen.events}
        some={chosen.some}
        onChange={(events, some) => setChosen({ events, some })}
      />
      {saving.error && <ErrorAlert error={saving.error} />}
      <Group>
        <Button
          type="submit"
          loading={saving.isPending}
          disabled={url.trim() === '' || (chosen.some && chosen.events.length === 0)}
        >
          Save
        </Button>
        <span role="status">{saving.isSuccess && 'Saved.'}</span>
      </Group>
    </Form>
  )
}
