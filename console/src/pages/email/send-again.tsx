import { Alert, Anchor, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type EmailDetail, sendAgain } from '../../api/email.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'

/** Sends the content as a new email, to the same recipients or to others. */
export function SendAgain({
  company,
  email,
  onDone,
}: {
  company: string
  email: EmailDetail
  onDone: () => void
}) {
  const form = useForm({
    // Identifies one click, so that a retry after a lost answer sends nothing twice.
    initial: { whom: 'same', to: '', click: newClick() },
    submit: ({ whom, to, click }) =>
      sendAgain(company, email.id, { click, ...(whom === 'others' && { to }) }),
  })
  const change = (part: { whom: string } | { to: string }) => form.set({ ...part, click: newClick() })
  const count = Object.values(email.states).reduce((sum, each) => sum + each, 0)
  if (form.result) {
    return (
      <Alert role="status" color="road" title="Accepted as a new email">
        <Anchor component={Link} to={`/c/${company}/emails/${form.result.id}`} onClick={onDone}>
          View the new email
        </Anchor>
      </Alert>
    )
  }
  return (
    <Form
      of={form}
      actions={
        <Group justify="flex-end">
          <SubmitButton>Send</SubmitButton>
        </Group>
      }
    >
      <Text size="sm">
        Postroad sends a new email with the same content, a new date and a new id. It counts against the
        quota.
      </Text>
      <Radio.Group label="Send to" value={form.values.whom} onChange={(whom) => change({ whom })}>
        <Stack gap={6} mt={4}>
          <Radio
            value="same"
            label={count === 1 ? 'The same recipient' : `The same ${count.toLocaleString()} recipients`}
          />
          <Radio value="others" label="Other recipients" />
        </Stack>
      </Radio.Group>
      {form.values.whom === 'others' && (
        <TextInput
          label="Address"
          description="Separate several addresses with commas"
          required
          {...form.field('to')}
          onChange={({ currentTarget: { value } }) => change({ to: value })}
        />
      )}
    </Form>
  )
}

function newClick(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
