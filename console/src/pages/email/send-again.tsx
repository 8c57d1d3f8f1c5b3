import { Alert, Anchor, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type EmailDetail, sendAgain } from '../../api/email.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'

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
  const [whom, setWhom] = useState('same')
  const [to, setTo] = useState('')
  // Identifies one click, so that a retry after a lost answer sends nothing twice.
  const [click, setClick] = useState(newClick)
  const sending = useMutation({
    mutationFn: () => sendAgain(company, email.id, { click, ...(whom === 'others' && { to }) }),
  })
  const change = (set: () => void) => {
    set()
    setClick(newClick())
  }
  const count = Object.values(email.states).reduce((sum, each) => sum + each, 0)
  if (sending.data) {
    return (
      <Alert role="status" color="road" title="Accepted as a new email">
        <Anchor component={Link} to={`/c/${company}/emails/${sending.data.id}`} onClick={onDone}>
          View the new email
        </Anchor>
      </Alert>
    )
  }
  return (
    <Form mutation={sending}>
      <Text size="sm">
        Postroad sends a new email with the same content, a new date and a new id. It counts against the
        quota.
      </Text>
      <Radio.Group label="Send to" value={whom} onChange={(value) => change(() => setWhom(value))}>
        <Stack gap={6} mt={4}>
          <Radio
            value="same"
            label={count === 1 ? 'The same recipient' : `The same ${count.toLocaleString()} recipients`}
          />
          <Radio value="others" label="Other recipients" />
        </Stack>
      </Radio.Group>
      {whom === 'others' && (
        <TextInput
          label="Address"
          description="Separate several addresses with commas"
          required
          value={to}
          onChange={({ currentTarget: { value } }) => change(() => setTo(value))}
        />
      )}
      {sending.error && <ErrorAlert error={sending.error} />}
      <Group justify="flex-end">
        <Button type="submit" loading={sending.isPending}>
          Send
        </Button>
      </Group>
    </Form>
  )
}

function newClick(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
