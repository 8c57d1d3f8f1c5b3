import { Badge, Group, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type OwnSession, sessionsQuery } from '../../api/account.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { PlainList } from '../../parts/plain-list.tsx'
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
  const { sessions } = useSuspenseQuery(sessionsQuery).data
  return (
    <Section
      title="Sessions"
      about="The browsers in which you are signed in. A session ends after two weeks without use, or at the end of its lifetime."
    >
      <PlainList>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </PlainList>
      {sessions.length > 1 && (
        <Group>
          <ActionButton run={endOtherSessions}>Sign out everywhere else</ActionButton>
        </Group>
      )}
    </Section>
  )
}

function SessionRow({ session }: { session: OwnSession }) {
  const { id, current, userAgent, address, way, createdAt, seenAt } = session
  const browser = visible(browserOf(userAgent))
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
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
          {address},{' '}
          {current ? (
            'in use now'
          ) : (
            <>
              used <Time at={seenAt} />
            </>
          )}
          , signed in {WAYS[way] ?? way} <Time at={createdAt} />
        </Text>
      </div>
      {!current && (
        <ActionButton
          size="xs"
          style={{ flexShrink: 0 }}
          aria-label={`Sign out ${browser} at ${address}`}
          run={() => endSession(id)}
        >
          Sign out
        </ActionButton>
      )}
    </Group>
  )
}
