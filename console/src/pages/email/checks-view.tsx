/**
 * The checks of a message, the mail programs that do not support its HTML, and the state of its links and
 * images.
 */
import { Alert, Badge, Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import { useState } from 'react'
import { type CheckedLink, checkLinks, type EmailSource } from '../../api/email.ts'
import type { Check, CheckedEmail, Grade } from '../../checks/check.ts'
import type { Findings } from '../../checks/checks.ts'
import type { Unsupported } from '../../checks/clients.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PassedChecks } from '../../parts/passed-checks.tsx'
import { Pending } from '../../parts/pending.tsx'
import { PlainList } from '../../parts/plain-list.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { useSignatureChecks } from './signature-checks.ts'
import { useChecks } from './use-checks.ts'
import { type EmailViewProps, useSource } from './view.ts'

export function ChecksView(props: EmailViewProps) {
  const { company, email, content } = props
  const source = useSource(props)
  if (!source.data) return <Pending of={source} />
  const message: CheckedEmail = {
    subject: email.subject,
    from: addressIn(email.from),
    html: content.html,
    text: content.text,
    size: source.data.size,
    fields: source.data.fields,
    signedBy: source.data.signatures.map(({ domain }) => domain),
  }
  return <Results company={company} id={email.id} message={message} signatures={source.data.signatures} />
}

function addressIn(mailbox: string): string {
  return /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox
}

function Results({
  company,
  id,
  message,
  signatures,
}: {
  company: string
  id: string
  message: CheckedEmail
  signatures: EmailSource['signatures']
}) {
  const { findings, unsupported, stopped } = useChecks(message)
  const inDns = useSignatureChecks(company, signatures)
  if (stopped && findings === null) {
    return (
      <Alert color="orange" title="The checks took too long">
        This message is too large to check.
      </Alert>
    )
  }
  if (findings === null) return <Loader role="img" aria-label="Checking" />
  const checks = [...inDns, ...findings.checks]
  // The score is worth knowing when it is good, too.
  const isOpen = ({ id, grade }: Check) => id === 'spam' || grade !== 'good'
  const open = checks.filter(isOpen)
  const passed = checks.filter((check) => !isOpen(check))
  return (
    <Stack gap="md">
      {open.length > 0 && <CheckList checks={open} />}
      {passed.length > 0 && (
        <PassedChecks count={passed.length}>
          <CheckList checks={passed} />
        </PassedChecks>
      )}
      <section aria-labelledby="programs">
        <Title order={3} size="h5" id="programs">
          Unsupported HTML and CSS
        </Title>
        {unsupported === undefined && !stopped && <Loader size="sm" role="img" aria-label="Checking" />}
        {(unsupported === null || (stopped && unsupported === undefined)) && (
          <Text size="sm">The HTML is too large or too malformed to check.</Text>
        )}
        {unsupported?.length === 0 && (
          <Text size="sm">Every mail program that was checked supports the HTML and CSS of this email.</Text>
        )}
        <ListTable
          rows={unsupported ?? []}
          keyOf={({ feature }) => feature}
          spacing="xs"
          columns={[
            {
              head: 'HTML or CSS',
              rowHead: true,
              cell: ({ feature }) => <UntrustedText>{feature}</UntrustedText>,
            },
            { head: 'Not supported by', cell: ({ clients }) => clientsText(clients) },
          ]}
        />
        <Text size="xs" c="dimmed" mt={4}>
          Based on the data of Can I email (caniemail.com) at the time of this release.
        </Text>
      </section>
      <Addresses company={company} id={id} findings={findings} />
    </Stack>
  )
}

/** `Gmail (web, iOS), Yahoo (web)` */
function clientsText(clients: Unsupported['clients']): string {
  const byProgram = Map.groupBy(clients, ({ program }) => program)
  return [...byProgram]
    .map(([program, on]) => `${program} (${on.map(({ platform }) => platform).join(', ')})`)
    .join(', ')
}

function CheckList({ checks }: { checks: readonly Check[] }) {
  return (
    <PlainList>
      {checks.map((check) => (
        <OneCheck key={check.id} check={check} />
      ))}
    </PlainList>
  )
}

const LOOK = {
  bad: { icon: CircleX, color: 'red', word: 'Problem' },
  poor: { icon: CircleAlert, color: 'orange', word: 'Warning' },
  good: { icon: CircleCheck, color: 'road', word: 'Good' },
} as const satisfies Record<Grade, object>

function OneCheck({ check: { grade, what, why, todo } }: { check: Check }) {
  const { icon: Icon, color, word } = LOOK[grade]
  return (
    <Paper withBorder p="sm" component="li">
      <Group gap={8} wrap="nowrap" align="flex-start">
        <Icon
          size={18}
          color={`var(--mantine-color-${color}-text)`}
          style={{ flexShrink: 0, marginTop: 2 }}
          role="img"
          aria-label={word}
        />
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Text fw={600}>
            <UntrustedText>{what}</UntrustedText>
          </Text>
          <Text size="sm" c="dimmed">
            {why}
          </Text>
          {todo !== '' && <Text size="sm">{todo}</Text>}
        </div>
      </Group>
    </Paper>
  )
}

/** The most addresses in one request to the server, and in all requests together. */
const LINKS_PER_REQUEST = 10
const MAX_ASKED = 100
const MAX_SHOWN = 200

function Addresses({
  company,
  id,
  findings: { facts },
}: {
  company: string
  id: string
  findings: Findings
}) {
  const mayManage = useMayManage()
  const [answers, setAnswers] = useState<ReadonlyMap<string, CheckedLink>>(new Map())
  const web = (url: string) => /^https?:/i.test(url)
  const urls = [...new Set([...facts.links, ...facts.images].map(({ url }) => url).filter(web))]
  const asking = useMutation({
    async mutationFn() {
      const asked = urls.slice(0, MAX_ASKED)
      for (let from = 0; from < asked.length; from += LINKS_PER_REQUEST) {
        const { answers: some } = await checkLinks(company, id, asked.slice(from, from + LINKS_PER_REQUEST))
        setAnswers((before) => new Map([...before, ...some.map((each) => [each.url, each] as const)]))
      }
    },
  })
  const rows = [
    ...facts.links.map(({ url, text }) => ({ use: 'Link', url, text })),
    ...facts.images.map(({ url, alt }) => ({ use: 'Image', url, text: alt ?? '' })),
  ]
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="addresses">
      <Group justify="space-between">
        <Title order={3} size="h5" id="addresses">
          Links and images
        </Title>
        {mayManage && urls.length > 0 && (
          <Button size="xs" variant="default" loading={asking.isPending} onClick={() => asking.mutate()}>
            Check links and images
          </Button>
        )}
      </Group>
      {mayManage && (
        <Text size="sm" c="dimmed">
          Postroad sends one HEAD request to each address. The sites may notice.
        </Text>
      )}
      {asking.error && <ErrorAlert error={asking.error} />}
      <ListTable
        rows={rows.slice(0, MAX_SHOWN)}
        keyOf={(_, index) => index}
        spacing="xs"
        columns={[
          { head: 'Type', cell: ({ use }) => use },
          { head: 'Address', cell: ({ url }) => <Long>{url.slice(0, 500)}</Long> },
          { head: 'Text', cell: ({ text }) => text !== '' && <Long>{text}</Long> },
          { head: 'Result', cell: ({ url }) => <Reached answer={answers.get(url)} /> },
        ]}
      />
      {rows.length > MAX_SHOWN && <Text size="sm">{`and ${rows.length - MAX_SHOWN} more`}</Text>}
    </section>
  )
}

/** Text without spaces would make the table wider than its page. */
function Long({ children }: { children: string }) {
  return (
    <Text component="span" size="sm" style={{ overflowWrap: 'anywhere' }}>
      <UntrustedText>{children}</UntrustedText>
    </Text>
  )
}

const COLORS = {
  answered: 'road',
  moved: 'blue',
  missing: 'red',
  refused: 'orange',
  unreachable: 'red',
} as const

function Reached({ answer }: { answer: CheckedLink | undefined }) {
  if (answer === undefined) return null
  return (
    <Stack gap={2}>
      <Badge color={COLORS[answer.outcome]} variant="light">
        {answer.status ?? answer.outcome}
      </Badge>
      <Text size="xs">
        <UntrustedText>{answer.detail}</UntrustedText>
      </Text>
    </Stack>
  )
}
