import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { accountQuery, confirmMembership, leaveCompany, type Membership } from '../../api/account.ts'
import { ask } from '../../parts/confirm.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { ROLE_WORDS } from '../team/roles.ts'

export function Memberships() {
  const { data: account } = useSuspenseQuery(accountQuery)
  const confirm = useMutation({ mutationFn: confirmMembership })
  const leave = useMutation({ mutationFn: leaveCompany })
  const { memberships } = account
  if (memberships.length === 0) return null
  return (
    <Section
      title="Companies"
      about="Owners of a company see when you sign in, from which IP address and with which browser."
    >
      <FormError error={confirm.error ?? leave.error} />
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {memberships.map((membership) => (
          <li key={membership.company.id}>
            <MembershipRow
              membership={membership}
              confirming={confirm.isPending && confirm.variables === membership.company.id}
              onConfirm={() => confirm.mutate(membership.company.id)}
              onLeave={() => leave.mutate(membership.company.id)}
            />
          </li>
        ))}
      </Stack>
    </Section>
  )
}

function MembershipRow({
  membership: { company, role, confirmed },
  confirming,
  onConfirm,
  onLeave,
}: {
  membership: Membership
  confirming: boolean
  onConfirm: () => void
  onLeave: () => void
}) {
  const name = visible(company.name)
  const askToLeave = () =>
    void ask(
      {
        title: `Leave ${name}?`,
        act: 'Leave',
        about: 'You lose access to this company until one of its owners invites you again.',
      },
      onLeave,
    )
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
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
          <Button
            size="xs"
            loading={confirming}
            aria-label={`Confirm that you belong to ${name}`}
            onClick={onConfirm}
          >
            Confirm
          </Button>
        )}
        <Button size="xs" variant="default" aria-label={`Leave ${name}`} onClick={askToLeave}>
          Leave
        </Button>
      </Group>
    </Group>
  )
}
