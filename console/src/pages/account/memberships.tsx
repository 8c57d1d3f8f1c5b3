import { Badge, Group, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { accountQuery, confirmMembership, leaveCompany, type Membership } from '../../api/account.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { PlainList } from '../../parts/plain-list.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { ROLE_WORDS } from '../team/roles.ts'

export function Memberships() {
  const { memberships } = useSuspenseQuery(accountQuery).data
  if (memberships.length === 0) return null
  return (
    <Section
      title="Companies"
      about="Owners of a company see when you sign in, from which IP address and with which browser."
    >
      <PlainList>
        {memberships.map((membership) => (
          <MembershipRow key={membership.company.id} membership={membership} />
        ))}
      </PlainList>
    </Section>
  )
}

function MembershipRow({ membership: { company, role, confirmed } }: { membership: Membership }) {
  const name = visible(company.name)
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            <UntrustedText>{company.name}</UntrustedText>
          </Text>
          <Badge size="sm" variant="default">
            {ROLE_WORDS[role].label}
          </Badge>
        </Group>
        {!confirmed && (
          <Text size="xs" c="dimmed">
            Somebody accepted this invitation before you proved that the address is yours. Owners of the
            company see your sign-ins only after you confirm that you belong to it.
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        {!confirmed && (
          <ActionButton
            size="xs"
            variant="filled"
            aria-label={`Confirm that you belong to ${name}`}
            run={() => confirmMembership(company.id)}
          >
            Confirm
          </ActionButton>
        )}
        <ActionButton
          size="xs"
          aria-label={`Leave ${name}`}
          ask={{
            title: `Leave ${name}?`,
            act: 'Leave',
            about: 'You lose access to this company until one of its owners invites you again.',
          }}
          run={() => leaveCompany(company.id)}
        >
          Leave
        </ActionButton>
      </Group>
    </Group>
  )
}
