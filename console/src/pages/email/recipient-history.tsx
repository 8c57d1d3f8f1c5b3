/** The history of one recipient: events and attempts on one time line, and the action on its address. */
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import { type EmailDetail, type EmailRecipient, suppressRecipient } from '../../api/email.ts'
import { reloadSuppressions, suppressionsQuery } from '../../api/suppressions.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ClockTime } from '../../parts/clock-time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { TYPES } from '../suppressions/types.ts'
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
      <Suppress email={email} recipient={recipient} />
    </Stack>
  )
}

/** The entry that stops mail like this to the address; or a button that adds one. */
function Suppress({ email, recipient }: { email: EmailDetail; recipient: EmailRecipient }) {
  const { address, position } = recipient
  const company = email.company.id
  const mayManage = useMayManage()
  const { data } = useQuery(suppressionsQuery(company, { term: address, limit: 10 }))
  const shown = <UntrustedText>{address}</UntrustedText>
  const stops = data?.data.find(
    (entry) =>
      entry.address.toLowerCase() === address.toLowerCase() &&
      entry.tags === null &&
      (!entry.ofDomainOnly || entry.domain === email.domain.name),
  )
  if (stops !== undefined) {
    return (
      <Text size="sm" c="dimmed">
        {shown} has been{' '}
        <AnchorLink
          to="/c/$company/suppressions"
          params={{ company }}
          search={{ term: stops.address }}
          inherit
        >
          on the suppression list
        </AnchorLink>{' '}
        since <ClockTime at={stops.createdAt} /> ({TYPES[stops.type].word.toLowerCase()}).
      </Text>
    )
  }
  if (!mayManage || data === undefined || recipient.state === 'suppressed') return null
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
        run={async () => {
          await suppressRecipient(company, email.id, position)
          await reloadSuppressions()
        }}
        done={<>No more mail will be sent to {shown}.</>}
      >
        Suppress this address
      </ActionButton>
    </Group>
  )
}
