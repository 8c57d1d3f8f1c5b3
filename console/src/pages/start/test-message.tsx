import {
  Alert,
  Anchor,
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MailCheck, Send } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import { emailQuery } from '../../api/email.ts'
import { useLive } from '../../api/live.ts'
import { useMe } from '../../api/session.ts'
import { sendersQuery, sendTestMessage } from '../../api/start.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Status, type StatusName } from '../../parts/status.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'

const TEXT = 'It works: this message was accepted, signed and delivered by Postroad.'

export function TestMessage({ company }: { company: string }) {
  const senders = useQuery(sendersQuery(company))
  const mayManage = useMayManage()
  // With data at hand, the form stays in place while the server is away, and keeps the typed text.
  if (senders.error && !senders.data)
    return <ErrorAlert error={senders.error} reset={() => void senders.refetch()} />
  const domains = senders.data?.domains
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby="test-message">
      <Title order={2} size="h4" id="test-message" mb={4}>
        Send a test message
      </Title>
      {!mayManage && (
        <Text size="sm" c="dimmed">
          As a viewer you can see mail, but not send it. An owner of the company can make you a developer.
        </Text>
      )}
      {mayManage && domains?.length === 0 && <NoSender company={company} />}
      {mayManage && domains !== undefined && domains.length > 0 && (
        // Each company has its own domains, so the form starts anew.
        <MessageForm key={company} company={company} domains={domains} />
      )}
    </Paper>
  )
}

function NoSender({ company }: { company: string }) {
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" c="dimmed">
        None of your domains may send yet. Add a domain, and publish the DNS records shown on its page.
      </Text>
      <Button component={Link} to={`/c/${company}/domains`}>
        Add a domain
      </Button>
    </Stack>
  )
}

function MessageForm({ company, domains }: { company: string; domains: string[] }) {
  const { person } = useMe()
  const form = useForm({
    initialValues: {
      domain: domains[0]!,
      to: person.address ?? 'you@example.com',
      subject: 'Hello from Postroad',
      text: TEXT,
    },
    validate: {
      to: (to) => (to.includes('@') ? null : 'Enter an address such as you@example.com'),
    },
  })
  const sending = useMutation({
    mutationFn: ({ domain, to, subject, text }: typeof form.values) =>
      sendTestMessage(company, { from: `Postroad <hello@${domain}>`, to, subject, text, html: htmlOf(text) }),
    onError(error) {
      if (error instanceof ApiError && error.field !== undefined && error.field in form.values) {
        form.setFieldError(error.field, error.message)
      }
    },
  })
  const shownAtField = sending.error instanceof ApiError && (sending.error.field ?? '') in form.values
  return (
    <form noValidate onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <DomainSelect
            company={company}
            label="From"
            description={`hello@${form.values.domain}`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={{ id: form.values.domain, name: form.values.domain }}
            onChange={(domain) => domain && form.setFieldValue('domain', domain.name)}
            error={form.errors.domain}
            allowDeselect={false}
            sending
          />
          <TextInput label="To" type="email" required withAsterisk={false} {...form.getInputProps('to')} />
        </SimpleGrid>
        <TextInput label="Subject" {...form.getInputProps('subject')} />
        <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.getInputProps('text')} />
        {sending.error && !shownAtField && <ErrorAlert error={sending.error} />}
        <Group>
          <Button type="submit" loading={sending.isPending} leftSection={<Send size={16} aria-hidden />}>
            Send
          </Button>
          <Anchor component={Link} to={`/c/${company}/keys`} size="sm">
            Or send from your application: create an API key
          </Anchor>
        </Group>
        {sending.data && <SentMessage company={company} id={sending.data.id} />}
      </Stack>
    </form>
  )
}

/** The accepted message, with its status as it changes. */
function SentMessage({ company, id }: { company: string; id: string }) {
  useLive(company)
  const { data } = useQuery(emailQuery(company, id))
  return (
    <Alert role="status" color="road" icon={<MailCheck aria-hidden />} title="Accepted and stored">
      {data && (
        <Group gap="xs" mb={4}>
          <Status of={data.lastEvent as StatusName} />
          <Text size="sm">to {visible(data.to[0] ?? '')}</Text>
        </Group>
      )}
      <Anchor component={Link} to={`/c/${company}/emails/${id}`} fw={600}>
        View the email
      </Anchor>
    </Alert>
  )
}

/** Empty lines of the text separate paragraphs. */
function htmlOf(text: string): string {
  const escaped = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return escaped
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
