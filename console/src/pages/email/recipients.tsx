/** The recipients of an email, each with its events and attempts on one timeline. */
import { Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { Ban, ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { recipientSentence } from '../../../../src/operate/status-sentence.ts'
import { statusOfRecipient } from '../../../../src/operate/status-word.ts'
import { type EmailDetail, type EmailRecipient, suppressRecipient } from '../../api/email.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { NumberedPages } from '../../parts/numbered-pages.tsx'
import { Status } from '../../parts/status.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { Pieces } from './pieces.tsx'
import { useEmailPageSearch, useShow } from './search.ts'
import { TimeLine } from './time-line.tsx'

/** The most recipients that the server returns at once. */
const PAGE = 100
const KINDS = { to: 'To', cc: 'Cc', bcc: 'Bcc' } as const

export function Recipients({ company, email }: { company: string; email: EmailDetail }) {
  const { from = 0 } = useEmailPageSearch()
  const show = useShow()
  const total = Object.values(email.states).reduce((sum, count) => sum + count, 0)
  return (
    <Stack component="section" gap="xs" aria-labelledby="recipients">
      <Title order={2} size="h4" id="recipients">
        {total === 1 ? 'Recipient' : `${total.toLocaleString()} recipients`}
      </Title>
      {email.recipients.map((recipient) => (
        <Recipient
          key={recipient.position}
          company={company}
          email={email}
          recipient={recipient}
          alone={total === 1}
        />
      ))}
      <NumberedPages
        what="recipients"
        total={total}
        size={PAGE}
        page={Math.floor(from / PAGE) + 1}
        onPage={(page) => show({ from: (page - 1) * PAGE })}
      />
    </Stack>
  )
}

function Recipient({
  company,
  email,
  recipient,
  alone,
}: {
  company: string
  email: EmailDetail
  recipient: EmailRecipient
  alone: boolean
}) {
  const [open, setOpen] = useState(alone)
  const body = useId()
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="sm" align="flex-start">
        <UnstyledButton
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          aria-controls={body}
          flex="1 1 260px"
          miw={0}
        >
          <Group gap={8} wrap="nowrap" align="flex-start">
            <Chevron size={18} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
            <span style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              <Text component="span" size="sm" c="dimmed">
                {KINDS[recipient.kind]}{' '}
              </Text>
              <Text component="span" fw={600}>
                <UntrustedText>{recipient.address}</UntrustedText>
              </Text>
            </span>
          </Group>
        </UnstyledButton>
        <Status {...statusOfRecipient(recipient, email.mostAttempts)} />
      </Group>
      <div id={body} hidden={!open}>
        {open && (
          <Stack gap="sm" mt="sm">
            {!alone && (
              <Text size="sm">
                <Pieces of={recipientSentence(recipient, email)} />
              </Text>
            )}
            <TimeLine company={company} email={email} position={recipient.position} />
            <Suppress company={company} id={email.id} recipient={recipient} />
          </Stack>
        )}
      </div>
    </Paper>
  )
}

function Suppress({ company, id, recipient }: { company: string; id: string; recipient: EmailRecipient }) {
  const { address, position } = recipient
  const mayManage = useMayManage()
  if (!mayManage || recipient.state === 'suppressed') return null
  const shown = <UntrustedText>{address}</UntrustedText>
  return (
    <Group>
      <ActionButton
        size="compact-sm"
        leftSection={<Ban size={14} aria-hidden />}
        ask={{
          title: 'Suppress this address?',
          about: (
            <>
              {shown} is added to the company’s suppression list. Mail that waits for it ends as suppressed.
              You can remove the address from the list later.
            </>
          ),
          act: 'Suppress address',
          harmless: true,
        }}
        run={() => suppressRecipient(company, id, position)}
        done={<>No more mail will be sent to {shown}.</>}
      >
        Suppress this address
      </ActionButton>
    </Group>
  )
}
