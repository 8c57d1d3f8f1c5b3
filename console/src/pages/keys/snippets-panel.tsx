/** Code that sends through this installation, ready to copy. */
import { NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../../api/session.ts'
import { sendersQuery } from '../../api/start.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { SmtpOff, smtpEndpoint } from '../../parts/smtp.tsx'
import { plainAddress, type SmtpHost, type Snippet } from './snippet.ts'
import { snippetsFor } from './snippets.ts'

/** Stands for the key, which only its creator has seen. */
const YOUR_KEY = 'YOUR_API_KEY'

interface SnippetsPanelProps {
  company: string
  /** A key that was just created; `null` to show a placeholder. */
  token: string | null
  /** The only domain the key may send from; `null` for all domains of the company. */
  only: string | null
  /** The id of the snippet to show. */
  client?: string | undefined
  onClient?: (id: string) => void
}

export function SnippetsPanel({ company, token, only, client, onClient }: SnippetsPanelProps) {
  const { person, installation } = useMe()
  const { data } = useQuery(sendersQuery(company))
  const domains = only === null ? (data?.domains ?? []) : [only]
  const [chosenDomain, setDomain] = useState<string | null>(null)
  const [chosenClient, setClient] = useState<string | null>(null)
  const domain = chosenDomain ?? domains[0] ?? 'example.com'
  const endpoint = smtpEndpoint(installation, company)
  // A key that was just created is to be used.
  const login = token !== null || endpoint.inbox !== company
  const smtp = { ...endpoint, login }
  const snippets = snippetsFor({
    url: installation.url,
    token: token ?? YOUR_KEY,
    domain,
    smtp,
    to: plainAddress(person.address),
  })
  const wanted = client ?? chosenClient
  const snippet = snippets.find(({ id }) => id === wanted) ?? snippets[0]!
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Client"
          value={snippet.id}
          onChange={(event) => {
            setClient(event.currentTarget.value)
            onClient?.(event.currentTarget.value)
          }}
          data={grouped(snippets)}
        />
        {only === null && domains.length > 0 && (
          <DomainSelect
            company={company}
            label="From"
            value={{ id: domain, name: domain }}
            onChange={(chosen) => chosen && setDomain(chosen.name)}
            allowDeselect={false}
            sending
          />
        )}
      </SimpleGrid>
      {domains.length === 0 && data && (
        <Text size="sm" c="dimmed">
          None of your domains may send yet, so the code uses example.com.
        </Text>
      )}
      {token === null && !(snippet.overSmtp && !login) && (
        <Text size="sm" c="dimmed">
          Replace {YOUR_KEY} with your API key. A key is shown once, when it is created.
        </Text>
      )}
      {snippet.overSmtp && <SmtpOff />}
      <SnippetView snippet={snippet} />
      {snippet.group === 'SMTP' && <SmtpFacts smtp={smtp} token={token} />}
    </Stack>
  )
}

const DIALECTS: Readonly<Record<Snippet['group'], string>> = {
  HTTP: 'JSON',
  'Resend SDKs': 'Resend',
  'Mailgun clients': 'Mailgun',
  Frameworks: 'framework',
  SMTP: 'SMTP',
}

function grouped(snippets: readonly Snippet[]) {
  const groups = [...new Set(snippets.map(({ group }) => group))]
  const labels = Map.groupBy(snippets, ({ label }) => label)
  return groups.map((group) => ({
    group,
    items: snippets
      .filter((snippet) => snippet.group === group)
      .map(({ id, label }) => ({
        value: id,
        // Read out without its group, the name of a language alone would be that of two clients.
        label: labels.get(label)!.length > 1 ? `${label} (${DIALECTS[group]})` : label,
      })),
  }))
}

function SnippetView({ snippet: { label, install, files, note } }: { snippet: Snippet }) {
  return (
    <Stack gap="sm">
      {install && <CodeBlock code={install} what="the command that installs the client" wrap />}
      {files.map(({ name, text }) => (
        <div key={name ?? ''} data-snippet-file={name ?? ''}>
          {name && (
            <Text size="sm" fw={600} mb={4}>
              {name}
            </Text>
          )}
          <CodeBlock code={text} what={name ?? `the ${label} snippet`} />
        </div>
      ))}
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}

const SECURITY = {
  tls: 'TLS from the start (SSL/TLS)',
  starttls: 'STARTTLS',
  none: 'none',
} as const

function SmtpFacts({
  smtp: { host, port, security, login },
  token,
}: {
  smtp: SmtpHost
  token: string | null
}) {
  const rows = [
    ['Server', host],
    ['Port', String(port)],
    [
      'Encryption',
      security === 'none' && login ? 'none (logins from this machine only)' : SECURITY[security],
    ],
    ...(login
      ? ([
          ['User name', 'api'],
          ['Password', token ?? 'the API key'],
        ] as const)
      : []),
  ] as const
  return (
    <ListTable
      rows={rows}
      keyOf={([name]) => name}
      spacing="xs"
      columns={[
        { head: 'Setting', headHidden: true, rowHead: true, width: 140, cell: ([name]) => name },
        {
          head: 'Value',
          headHidden: true,
          cell: ([name, value]) => (
            <>
              {value} <Copy value={value} what={name.toLowerCase()} />
            </>
          ),
        },
      ]}
    />
  )
}
