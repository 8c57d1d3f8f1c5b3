/** The head of an email's page: its status, the reason, its properties, and the actions on it. */
import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { statusSentence } from '../../../../src/operate/status-sentence.ts'
import type { EmailDetail } from '../../api/email.ts'
import { ClockTime } from '../../parts/clock-time.tsx'
import { octetsText } from '../../parts/octets.ts'
import { statusOfShown } from '../../parts/shown-status.ts'
import { Status, statusLook } from '../../parts/status.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { Actions } from './actions.tsx'
import classes from './email.module.css'
import { Pieces } from './pieces.tsx'

/** The most addresses of a field that are shown. The list of recipients has all of them. */
const MOST_SHOWN = 5

export function EmailHead({ company, email }: { company: string; email: EmailDetail }) {
  const { subject } = email
  const { of, note } = statusOfShown(email)
  useEffect(() => {
    document.title = `${visible(subject) || 'No subject'} - Postroad`
  }, [subject])
  return (
    <Stack gap="sm" component="header">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Title order={1} size="h2" className={classes.subject}>
          <UntrustedText empty="(no subject)">{subject}</UntrustedText>
        </Title>
        <Actions company={company} email={email} />
      </Group>
      <div role="status" aria-label="Status">
        <Alert
          role="presentation"
          color={statusLook(of).color}
          variant="light"
          title={<Status of={of} note={note} size="md" />}
        >
          <Text component="p" m={0}>
            <Pieces of={statusSentence(email)} />
          </Text>
        </Alert>
      </div>
      <dl className={classes.facts}>
        <Fact name="From">
          <UntrustedText>{email.from}</UntrustedText>
        </Fact>
        <Addresses name="To" of={email.to} />
        <Addresses name="Cc" of={email.cc} />
        <Addresses name="Bcc" of={email.bcc} />
        <Addresses name="Reply-To" of={email.replyTo} />
        <Fact name="Accepted">
          <ClockTime at={email.createdAt} />
        </Fact>
        {email.scheduledAt !== null && (
          <Fact name="Scheduled for">
            <ClockTime at={email.scheduledAt} />
          </Fact>
        )}
        <Fact name="Size">{octetsText(email.size)}</Fact>
        {company === 'all' && (
          <Fact name="Company">
            <UntrustedText>{email.company.name}</UntrustedText>
          </Fact>
        )}
        {(email.tags.length > 0 || email.testMode) && (
          <Fact name="Tags">
            <Group gap={4} component="span" display="inline-flex">
              {email.testMode && <Badge variant="default">test mode</Badge>}
              {email.tags.map(({ name, value }) => (
                <Badge key={`${name} ${value}`} variant="default" tt="none" className={classes.tag}>
                  <UntrustedText>{name === 'tag' ? value : `${name}: ${value}`}</UntrustedText>
                </Badge>
              ))}
            </Group>
          </Fact>
        )}
        {Object.entries(email.variables).map(([name, value]) => (
          <Fact key={name} name={name}>
            <UntrustedText>{value}</UntrustedText>
          </Fact>
        ))}
        <Fact name="Message-ID" long>
          <UntrustedText>{email.messageId}</UntrustedText>
        </Fact>
      </dl>
    </Stack>
  )
}

/** `long`: puts the fact on a line of its own. */
function Fact({ name, long, children }: { name: string; long?: boolean; children: React.ReactNode }) {
  return (
    <div className={`${classes.fact} ${long ? classes.long : ''}`}>
      <Text component="dt" size="sm" c="dimmed">
        <UntrustedText>{name}</UntrustedText>
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  )
}

function Addresses({ name, of }: { name: string; of: readonly string[] }) {
  if (of.length === 0) return null
  const shown = of.slice(0, MOST_SHOWN)
  return (
    <Fact name={name}>
      {shown.map((address, index) => (
        <span key={address}>
          {index > 0 && ', '}
          <UntrustedText>{address}</UntrustedText>
        </span>
      ))}
      {of.length > shown.length && ` and ${(of.length - shown.length).toLocaleString()} more`}
    </Fact>
  )
}
