import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type OwnSession, sessionsQuery } from '../../api/account.ts'
import { FormError } from '../../parts/form-error.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { browserOf } from './browser-name.ts'

const WAYS: Record<string, string> = {
  link: 'with a link',
  password: 'with a password',
  passkey: 'with a passkey',
  oidc: 'through the provider',
}

export function Sessions() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery)
  const end = useMutation({ mutationFn: endSession })
  const endOthers = useMutation({ mutationFn: endOtherSessions })
  return (
    <Section
      title="Sessions"
      about="The browsers in which you are signed in. A session ends after two weeks without use, or at the end of its lifetime."
    >
      <FormError error={end.error ?? endOthers.error} />
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionRow
              session={session}
              ending={end.isPending && end.variables === session.id}
              onEnd={() => end.mutate(session.id)}
            />
          </li>
        ))}
      </Stack>
      {sessions.length > 1 && (
        <Group>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out everywhere else
          </Button>
        </Group>
      )}
    </Section>
  )
}

function SessionRow({ session, ending, onEnd }: { session: OwnSession; ending: boolean; onEnd: () => void }) {
  const { current, userAgent, address, way, createdAt, seenAt } = session
  const browser = visible(browserOf(userAgent))
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={600} size="sm" title={userAgent}>
            {browser}
          </Text>
          {current && (
            <Badge size="sm" variant="light">
              This session
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {address} - used <Time at={seenAt} /> - signed in {WAYS[way] ?? way} <Time at={createdAt} />
        </Text>
      </div>
      {!current && (
        <Button
          size="xs"
          variant="default"
          style={{ flexShrink: 0 }}
          loading={ending}
          onClick={onEnd}
          aria-label={`Sign out ${browser} at ${address}`}
        >
          Sign out
        </Button>
      )}
    </Group>
  )
}
