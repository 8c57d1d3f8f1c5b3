import { Badge, Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RotateCw, UserMinus, X } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../api/session.ts'
import {
  type Member,
  type OpenInvitation,
  type Role,
  removeMember,
  renewInvitation,
  type SentInvitation,
  setRole,
  teamQuery,
  withdrawInvitation,
} from '../../api/team.ts'
import { attempt, confirm } from '../../parts/confirm.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useRole } from '../../shell/company.ts'
import { InvitationLink } from './invitation-link.tsx'
import { InviteForm } from './invite-form.tsx'
import { PersonName } from './person-name.tsx'
import { ROLE_CHOICES, ROLE_WORDS } from './roles.ts'

const isOver = (at: string) => Date.parse(at) <= Date.now()

/** The people of one company. Its owners can change them; other people can see them. */
export function CompanyTeam({ company }: { company: string }) {
  const query = useQuery(teamQuery(company))
  const { person: me } = useMe()
  const role = useRole()
  const [renewed, setRenewed] = useState<SentInvitation | null>(null)
  const mayChange = role === 'owner' || role === 'operator'
  if (!query.data) return <Pending of={query} />
  const { members, invitations } = query.data
  const renew = (invitation: OpenInvitation) =>
    attempt({ run: async () => setRenewed(await renewInvitation(company, invitation)) })
  const askToRemove = ({ id, name, address }: Member) =>
    confirm({
      title: `Remove ${name || address}?`,
      about:
        'They lose access to this company at once. API keys that they created keep working. Revoke any keys that only they know.',
      act: 'Remove',
      run: () => removeMember(company, id),
    })
  return (
    <>
      {mayChange && <InviteForm company={company} />}
      <Section compact title="People">
        <PagedList
          what="people"
          find="Name or address"
          textOf={({ name, address }) => `${name} ${address ?? ''}`}
          rows={members}
          keyOf={({ id }) => id}
          label="People of the company"
          empty={
            <Text c="dimmed" size="sm">
              This company has no members yet. Operators have access to it regardless.
            </Text>
          }
          columns={[
            {
              head: 'Name',
              width: '100%',
              cell: (member) => <PersonName {...member} isYou={member.id === me.id} />,
            },
            {
              head: 'Role',
              cell: ({ id, name, address, role }) =>
                mayChange ? (
                  <Select
                    aria-label={`Role of ${name || address}`}
                    size="xs"
                    w={120}
                    data={ROLE_CHOICES}
                    value={role}
                    allowDeselect={false}
                    onChange={(chosen) => {
                      if (chosen !== null && chosen !== role)
                        void attempt({ run: () => setRole(company, id, chosen as Role) })
                    }}
                  />
                ) : (
                  ROLE_WORDS[role].label
                ),
            },
            mayChange && {
              head: 'Remove',
              headHidden: true,
              right: true,
              cell: (member) => (
                <IconButton
                  icon={UserMinus}
                  color="red"
                  label="Remove from the company"
                  name={`Remove ${member.name || member.address}`}
                  onClick={() => askToRemove(member)}
                />
              ),
            },
          ]}
        />
      </Section>
      {invitations.length > 0 && (
        <Section compact title="Invitations" mt="md">
          {renewed && <InvitationLink made={renewed} onClose={() => setRenewed(null)} />}
          <ListTable
            rows={invitations}
            keyOf={({ id }) => id}
            label="Invitations"
            spacing="xs"
            columns={[
              {
                head: 'Address',
                headHidden: true,
                width: '100%',
                cell: ({ address, inviter, expiresAt }) => (
                  <>
                    <Text size="sm">
                      <UntrustedText>{address}</UntrustedText>
                    </Text>
                    <Text size="xs" c={isOver(expiresAt) ? 'orange' : 'dimmed'}>
                      Invited by {inviter === null ? 'an operator' : <UntrustedText>{inviter}</UntrustedText>}
                      . The link {isOver(expiresAt) ? 'expired' : 'expires'} <Time at={expiresAt} />
                    </Text>
                  </>
                ),
              },
              {
                head: 'Role',
                headHidden: true,
                cell: ({ role }) => (
                  <Badge variant="default" miw="max-content">
                    {ROLE_WORDS[role].label}
                  </Badge>
                ),
              },
              mayChange && {
                head: 'Renew or withdraw',
                headHidden: true,
                right: true,
                cell: (invitation) => (
                  <Group gap={4} wrap="nowrap">
                    <IconButton
                      icon={RotateCw}
                      label="Renew the invitation: a new link replaces the old one"
                      name={`Renew the invitation of ${invitation.address}`}
                      onClick={() => void renew(invitation)}
                    />
                    <IconButton
                      icon={X}
                      color="red"
                      label="Withdraw the invitation"
                      name={`Withdraw the invitation of ${invitation.address}`}
                      onClick={() => void attempt({ run: () => withdrawInvitation(company, invitation.id) })}
                    />
                  </Group>
                ),
              },
            ]}
          />
        </Section>
      )}
    </>
  )
}
