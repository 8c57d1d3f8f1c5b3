/** The history of one recipient: events and attempts on one time line, and the action on its address. */
import { Group, Stack } from '@mantine/core'
import { Ban } from 'lucide-react'
import { type EmailDetail, type EmailRecipient, suppressRecipient } from '../../api/email.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { TimeLine } from './time-line.tsx'

interface RecipientHistoryProps {
  company: string
  email: EmailDetail
  recipient: EmailRecipient
}

export function RecipientHistory({ company, email, recipient }: RecipientHistoryProps) {
  return (
    <Stack gap="sm">
      <TimeLine company={company} email={email} position={recipient.position} />
      <Suppress company={company} id={email.id} recipient={recipient} />
    </Stack>
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
