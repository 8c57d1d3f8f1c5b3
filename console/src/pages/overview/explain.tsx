/** How mail to an address would leave now, and what would stop it. */
import { Alert, Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Route as RouteIcon } from 'lucide-react'
import { useState } from 'react'
import { type ExplanationAnswer, explanationQuery, rehearse } from '../../api/explain.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'

export function Explain({ company }: { company: string }) {
  const [text, setText] = useState('')
  const [address, setAddress] = useState('')
  const query = useQuery({ ...explanationQuery(company, address), enabled: address !== '' })
  return (
    <Section
      compact
      title="How would mail to an address leave?"
      about="Postroad looks up its servers now, and shows what would stop the mail. No mail is sent."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === address) void query.refetch()
          else setAddress(text.trim())
        }}
      >
        <Group gap="sm">
          <TextInput
            aria-label="Address of a recipient"
            placeholder="jane@example.com"
            type="email"
            required
            maxLength={320}
            w={{ base: '100%', xs: 300 }}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
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
        <Shown key={query.dataUpdatedAt} company={company} address={address} explanation={query.data} />
      )}
    </Section>
  )
}

function Shown({
  company,
  address,
  explanation,
}: {
  company: string
  address: string
  explanation: ExplanationAnswer
}) {
  const { person } = useMe()
  const [tried, setTried] = useState<ExplanationAnswer['tried']>(null)
  const { headline, problem, route, site, hosts, helo, last } = explanation
  return (
    <Stack gap="sm" aria-live="polite">
      <Alert variant="light" color={problem === null ? 'road' : 'orange'} title={visible(headline)}>
        {problem !== null && <UntrustedText>{problem}</UntrustedText>}
        {problem === null && (
          <Text size="sm">
            Route {visible(route)}, site {visible(site.name)}, at most {site.sessions}{' '}
            {site.sessions === 1 ? 'session' : 'sessions'} at once, as {visible(helo)}.
          </Text>
        )}
      </Alert>
      {hosts.length > 0 && (
        <Stack component="ul" gap={4} m={0} pl="md">
          {hosts.map(({ name, preference, addresses, tls }) => (
            <Text component="li" size="sm" key={name}>
              <HostName>{name}</HostName>
              {preference !== null && ` (${preference})`}:{' '}
              {addresses.length === 0 ? 'no usable address' : addresses.join(', ')}, TLS {tls}
            </Text>
          ))}
        </Stack>
      )}
      {last.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            Latest mail to this domain
          </Text>
          {last.map(({ emailId, acceptedAt, recipient, state, reply }) => (
            <Text size="sm" key={emailId}>
              <Anchor component={Link} to={`/c/${company}/emails/${emailId}`} inherit>
                <UntrustedText>{recipient}</UntrustedText>
              </Anchor>{' '}
              <Time at={acceptedAt} />: {state}
              {reply !== null && (
                <>
                  , <UntrustedText>{reply}</UntrustedText>
                </>
              )}
            </Text>
          ))}
        </div>
      )}
      {person.operator && hosts.some(({ addresses }) => addresses.length > 0) && (
        <div>
          <ActionButton
            size="xs"
            variant="default"
            run={async () => {
              setTried((await rehearse(address)).tried)
            }}
          >
            Ask the server
          </ActionButton>
          <Text size="xs" c="dimmed" mt={4}>
            Postroad speaks to the server up to RCPT TO, and sends no message.
          </Text>
        </div>
      )}
      {tried !== null && (
        <div>
          <Text size="sm" fw={600}>
            {tried.accepted ? 'Accepted' : 'Not accepted'} by {visible(tried.server ?? 'any server')}
          </Text>
          <Text size="sm">
            <UntrustedText>{tried.message}</UntrustedText>
          </Text>
          <Code block>
            {tried.dialogue
              .split('\n')
              .map((line) => visible(line))
              .join('\n')}
          </Code>
        </div>
      )}
    </Stack>
  )
}
