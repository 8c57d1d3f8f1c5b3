/** The list of quarantined mail, with buttons to release it. */
import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { actOn } from '../../api/email.ts'
import { invalidate } from '../../api/queries.ts'
import { QUEUE, type QuarantinedItem, quarantineQuery, releaseAll } from '../../api/queue.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'

const AGAIN =
  'Postroad tries it once more, in an isolated process. If that process crashes, the mail returns to quarantine.'

export function Quarantine({ company }: { company: string }) {
  const { person } = useMe()
  const { data } = useQuery(quarantineQuery(company))
  if (data === undefined || data.emails.length === 0) return null
  const { emails, more } = data
  return (
    <Section
      compact
      title="Quarantine"
      about={`Sending this mail crashed a process of the service, so Postroad no longer tries it. ${
        person.operator
          ? 'Once the fault is fixed, release the mail. You can also cancel an email on its page.'
          : 'An operator can release it.'
      }`}
      action={
        person.operator && (
          <ActionButton
            size="compact-sm"
            leftSection={<ShieldCheck size={12} aria-hidden />}
            ask={{
              title:
                company === ALL
                  ? 'Release all mail in quarantine?'
                  : 'Release all mail of this company from quarantine?',
              about: AGAIN,
              act: 'Release all',
              harmless: true,
            }}
            run={() => releaseAll(company === ALL ? null : company)}
            done={({ released }) => `Released ${recipients(released)}`}
          >
            Release all
          </ActionButton>
        )
      }
    >
      <PagedList
        what="emails in quarantine"
        find="Sender, subject or reason"
        textOf={({ from, subject, message, company: { name } }) => [from, subject, message, name].join(' ')}
        rows={emails}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Subject',
            rowHead: true,
            cell: ({ id, subject }) => (
              <Anchor component={Link} to={`/c/${company}/emails/${id}`} size="sm">
                {subject === '' ? '(no subject)' : <UntrustedText>{subject}</UntrustedText>}
              </Anchor>
            ),
          },
          { head: 'From', cell: ({ from }) => <UntrustedText>{from}</UntrustedText> },
          company === ALL && {
            head: 'Company',
            cell: ({ company: { name } }) => <UntrustedText>{name}</UntrustedText>,
          },
          { head: 'Recipients', right: true, cell: (email) => email.recipients.toLocaleString() },
          { head: 'Since', cell: ({ since }) => <Time at={since} /> },
          {
            head: 'Reason',
            cell: ({ message }) => message !== null && <UntrustedText>{message}</UntrustedText>,
          },
          person.operator && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (email) => <Release email={email} />,
          },
        ]}
      />
      {more && (
        <Text size="sm" c="dimmed">
          Showing the newest {emails.length.toLocaleString()} emails. There are more.
        </Text>
      )}
    </Section>
  )
}

function Release({ email: { id, company, subject } }: { email: QuarantinedItem }) {
  return (
    <ActionButton
      size="compact-xs"
      aria-label={`Release ${subject === '' ? '(no subject)' : subject}`}
      run={async () => {
        try {
          return await actOn(company.id, id, 'release')
        } finally {
          // Another person may have released it.
          await invalidate(...QUEUE)
        }
      }}
      done={({ changed }) => `Released ${recipients(changed)}`}
    >
      Release
    </ActionButton>
  )
}

function recipients(count: number): string {
  return count === 1 ? 'one recipient' : `${count.toLocaleString()} recipients`
}
