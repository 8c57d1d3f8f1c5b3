import { ActionIcon, Badge, Paper, Select, Skeleton, Table, Text, Title, Tooltip } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { UserMinus, X } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import {
  type Invitation,
  type Member,
  type Role,
  removeMember,
  setRole,
  teamChanged,
  teamQuery,
  withdrawInvitation,
} from '../../api/team.ts'
import { ask } from '../../parts/confirm.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useRole } from '../../shell/company.ts'
import { InviteForm } from './invite-form.tsx'
import { PagedPeople } from './paged-people.tsx'
import { PersonName } from './person-name.tsx'
import { ROLE_CHOICES, ROLE_WORDS } from './roles.ts'

/** The people of one company. Its owners can change them; other people can see them. */
export function CompanyTeam({ company }: { company: string }) {
  const { data, error, refetch } = useQuery(teamQuery(company))
  const role = useRole()
  const mayChange = role === 'owner' || role === 'operator'
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (data === undefined) return <Skeleton h={240} />
  const { members, invitations } = data
  return (
    <>
      {mayChange && <InviteForm company={company} />}
      <Paper component="section" withBorder p="md" aria-labelledby="members">
        <Title order={2} size="h5" id="members" mb="xs">
          People
        </Title>
        {members.length === 0 ? (
          <Text c="dimmed" size="sm">
            This company has no people yet. Operators have access to it regardless.
          </Text>
        ) : (
          <PagedPeople items={members}>
            {(shown) => <Members company={company} members={shown} mayChange={mayChange} />}
          </PagedPeople>
        )}
      </Paper>
      {invitations.length > 0 && (
        <Invitations company={company} invitations={invitations} mayChange={mayChange} />
      )}
    </>
  )
}

function Members({
  company,
  members,
  mayChange,
}: {
  company: string
  members: readonly Member[]
  mayChange: boolean
}) {
  const { person: me } = useMe()
  const changing = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => setRole(company, id, role),
    onSettled: teamChanged,
  })
  const removing = useMutation({
    mutationFn: (id: string) => removeMember(company, id),
    onSettled: teamChanged,
  })
  const error = changing.error ?? removing.error
  const askToRemove = ({ id, name, address }: Member) =>
    void ask(
      {
        title: `Remove ${name || address}?`,
        about:
          'They lose access to this company at once. API keys that they created keep working. Revoke any keys that only they know.',
        act: 'Remove',
      },
      () => removing.mutate(id),
    )
  return (
    <>
      {error && <ErrorAlert error={error} />}
      <ListTable
        rows={members}
        keyOf={({ id }) => id}
        label="People of the company"
        spacing="xs"
        columns={[
          {
            head: 'Name',
            width: '100%',
            cell: (member) => <PersonName {...member} isYou={member.id === me.id} />,
          },
          {
            head: 'Role',
            cell: (member) =>
              mayChange ? (
                <Select
                  aria-label={`Role of ${member.name || member.address}`}
                  size="xs"
                  w={120}
                  data={ROLE_CHOICES}
                  value={member.role}
                  allowDeselect={false}
                  onChange={(role) => {
                    if (role !== null && role !== member.role)
                      changing.mutate({ id: member.id, role: role as Role })
                  }}
                />
              ) : (
                ROLE_WORDS[member.role].label
              ),
          },
          mayChange && {
            head: 'Remove',
            headHidden: true,
            right: true,
            cell: (member) => (
              <Tooltip label="Remove from the company">
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Remove ${member.name || member.address}`}
                  onClick={() => askToRemove(member)}
                >
                  <UserMinus size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ),
          },
        ]}
      />
    </>
  )
}

function Invitations({
  company,
  invitations,
  mayChange,
}: {
  company: string
  invitations: readonly Invitation[]
  mayChange: boolean
}) {
  const withdrawing = useMutation({
    mutationFn: (id: string) => withdrawInvitation(company, id),
    onSettled: teamChanged,
  })
  return (
    <Paper component="section" withBorder p="md" mt="md" aria-labelledby="invitations">
      <Title order={2} size="h5" id="invitations" mb="xs">
        Invitations
      </Title>
      {withdrawing.error && <ErrorAlert error={withdrawing.error} />}
      <Table verticalSpacing="xs" aria-label="Invitations">
        <Table.Tbody>
          {invitations.map(({ id, address, role, inviter, expiresAt }) => (
            <Table.Tr key={id}>
              <Table.Td maw={0} w="100%">
                <Text size="sm" truncate>
                  <UntrustedText>{address}</UntrustedText>
                </Text>
                <Text size="xs" c="dimmed">
                  Invited by {inviter === null ? 'an operator' : <UntrustedText>{inviter}</UntrustedText>}.
                  The link expires <Time at={expiresAt} />
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge variant="default" miw="max-content">
                  {ROLE_WORDS[role].label}
                </Badge>
              </Table.Td>
              {mayChange && (
                <Table.Td w={56}>
                  <Tooltip label="Withdraw the invitation">
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Withdraw the invitation of ${address}`}
                      onClick={() => withdrawing.mutate(id)}
                    >
                      <X size={16} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
