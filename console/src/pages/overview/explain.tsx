/** How mail to an address would leave now, and what would stop it. */
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Route as RouteIcon } from 'lucide-react'
import { useState } from 'react'
import { type ExplainedMail, type ExplanationAnswer, explanationQuery, rehearse } from '../../api/explain.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ClockTime } from '../../parts/clock-time.tsx'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { ExplainedFacts, LatestMail } from './explained-facts.tsx'

/** The mail that is explained is part of the address of the page. */
export function Explain({ company }: { company: string }) {
  const { explain: address, from } = useSearch({ from: '/signed-in/c/$company/overview' })
  const navigate = useNavigate({ from: '/c/$company/overview' })
  const [text, setText] = useState(address ?? '')
  const [sender, setSender] = useState(from)
  const mail = { address: address ?? '', ...(from !== undefined && { from }) }
  const query = useQuery({ ...explanationQuery(company, mail), enabled: address !== undefined })
  return (
    <Section
      compact
      title="How would mail to an address leave?"
      about="Postroad looks up its servers now, and shows what would stop the mail. No mail is sent."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === address && sender === from) void query.refetch()
          else {
            void navigate({
              search: (before) => ({ ...before, explain: text.trim(), from: sender }),
              replace: true,
              resetScroll: false,
            })
          }
        }}
      >
        <Group gap="sm">
          <TextInput
            aria-label="Address of a recipient"
            placeholder="jane@example.com"
            type="email"
            required
            maxLength={320}
            w={{ base: '100%', xs: 260 }}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <DomainSelect
            company={company}
            aria-label="From the sending domain"
            placeholder="From any domain"
            clearable
            value={sender === undefined ? null : { id: sender, name: sender }}
            onChange={(domain) => setSender(domain?.name)}
          />
          <Button
            type="submit"
            variant="default"
            loading={query.isFetching}
            leftSection={<RouteIcon size={16} aria-hidden />}
          >
            Explain
          </Button>
        </Group>
      </form>
      {query.error && <ErrorAlert error={query.error} />}
      {query.data && (
        <Shown key={query.dataUpdatedAt} company={company} mail={mail} explanation={query.data} />
      )}
    </Section>
  )
}

function Shown({
  company,
  mail,
  explanation,
}: {
  company: string
  mail: ExplainedMail
  explanation: ExplanationAnswer
}) {
  const { person } = useMe()
  const [tried, setTried] = useState<ExplanationAnswer['tried']>(null)
  const { headline, problem, hosts } = explanation
  return (
    <Stack gap="sm" aria-live="polite">
      <Alert variant="light" color={problem === null ? 'road' : 'orange'} title={visible(headline)}>
        {problem !== null && <WithTimes>{problem}</WithTimes>}
      </Alert>
      <ExplainedFacts of={explanation} />
      <LatestMail company={company} of={explanation} />
      {person.operator && hosts.some(({ addresses }) => addresses.length > 0) && (
        <div>
          <ActionButton
            size="xs"
            variant="default"
            run={async () => {
              setTried((await rehearse(mail)).tried)
            }}
          >
            Ask the server
          </ActionButton>
          <Text size="xs" c="dimmed" mt={4}>
            Postroad opens an SMTP session up to RCPT TO, and sends no message.
          </Text>
        </div>
      )}
      {tried !== null && (
        <div>
          <Text size="sm" fw={600}>
            {triedText(tried)}
          </Text>
          <Text size="sm">
            <UntrustedText>{tried.message}</UntrustedText>
          </Text>
          {tried.dialogue !== '' && (
            <Code block>
              {tried.dialogue
                .split('\n')
                .map((line) => visible(line))
                .join('\n')}
            </Code>
          )}
        </div>
      )}
    </Stack>
  )
}

/** A sentence that names times in UTC. It may quote a server, whose times need not exist. */
function WithTimes({ children }: { children: string }) {
  return children.split(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)/).map((piece, index) => {
    const at = piece.replace(' ', 'T')
    const isTime = index % 2 === 1 && !Number.isNaN(Date.parse(at))
    const key = `${index} ${piece}`
    return isTime ? <ClockTime key={key} at={at} /> : <UntrustedText key={key}>{piece}</UntrustedText>
  })
}

function triedText({ accepted, permanent, server }: NonNullable<ExplanationAnswer['tried']>): string {
  if (!accepted && permanent === null) return 'Not asked'
  return `${accepted ? 'Accepted' : 'Not accepted'} by ${visible(server ?? 'any server')}`
}
