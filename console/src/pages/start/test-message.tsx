import { Alert, Anchor, Group, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MailCheck, Send } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import { emailQuery } from '../../api/email.ts'
import { useLive } from '../../api/live.ts'
import { useMe } from '../../api/session.ts'
import { sendersQuery, sendTestMessage } from '../../api/start.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { Pending } from '../../parts/pending.tsx'
import { statusOfShown } from '../../parts/shown-status.ts'
import { Status } from '../../parts/status.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'

const TEXT = 'It works: Postroad accepted and signed this message.'

export function TestMessage({ company }: { company: string }) {
  const senders = useQuery(sendersQuery(company))
  const mayManage = useMayManage()
  if (!mayManage) {
    return (
      <Text size="sm" c="dimmed">
        As a viewer you can see mail, but not send it. An owner of the company can make you a developer.
      </Text>
    )
  }
  // Once the data is loaded, the form stays while the server is unreachable, and keeps the typed text.
  const domains = senders.data?.domains
  if (domains === undefined) return <Pending of={senders} />
  return domains.length > 0 && <MessageForm company={company} domains={domains} />
}

function MessageForm({ company, domains }: { company: string; domains: string[] }) {
  const { person } = useMe()
  const form = useForm({
    initial: {
      from: domains[0]!,
      to: person.address ?? 'you@example.com',
      subject: 'Hello from Postroad',
      text: TEXT,
    },
    async submit({ from, to, ...rest }) {
      if (!to.includes('@')) {
        throw new ApiError(422, 'invalid', 'Enter an address such as you@example.com', 'to')
      }
      const message = { from: `Postroad <hello@${from}>`, to, html: htmlOf(rest.text), ...rest }
      return await sendTestMessage(company, message)
    },
  })
  const { from } = form.values
  return (
    <Form
      of={form}
      actions={
        <>
          <Group>
            <SubmitButton leftSection={<Send size={16} aria-hidden />}>Send</SubmitButton>
            <Anchor component={Link} to={`/c/${company}/keys`} size="sm">
              Or send from your application: create an API key
            </Anchor>
          </Group>
          {form.result && <SentMessage company={company} id={form.result.id} />}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <DomainSelect
          company={company}
          label="From"
          description={`hello@${from}`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.field('from')}
          value={{ id: from, name: from }}
          onChange={(domain) => domain && form.set({ from: domain.name })}
          allowDeselect={false}
          sending
        />
        <TextInput label="To" inputMode="email" {...form.field('to')} />
      </SimpleGrid>
      <TextInput label="Subject" {...form.field('subject')} />
      <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.field('text')} />
    </Form>
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
          <Status {...statusOfShown(data)} />
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
