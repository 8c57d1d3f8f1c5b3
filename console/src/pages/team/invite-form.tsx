import { Button, Group, Paper, Select, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { invite, type Role, teamChanged } from '../../api/team.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'
import { OneTimeLink } from './one-time-link.tsx'
import { ROLE_CHOICES, ROLE_WORDS } from './roles.ts'

/** Creates an invitation to the company, as a link. */
export function InviteForm({ company }: { company: string }) {
  const [address, setAddress] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const inviting = useMutation({
    mutationFn: () => invite(company, { address, role }),
    onSuccess: async () => {
      setAddress('')
      await teamChanged()
    },
  })
  const { error, data } = inviting
  const ofAddress = error instanceof ApiError && error.code === 'invalid' ? error.message : null
  return (
    <>
      {data && (
        <OneTimeLink
          link={data.link}
          expiresAt={data.invitation.expiresAt}
          title={`Invitation for ${data.invitation.address} as ${ROLE_WORDS[data.invitation.role].label.toLowerCase()}`}
          onClose={inviting.reset}
        />
      )}
      <Paper component="section" withBorder p="md" mb="md" aria-labelledby="invite">
        <Title order={2} size="h5" id="invite" mb="xs">
          Invite somebody
        </Title>
        {error && ofAddress === null && <ErrorAlert error={error} />}
        <Form mutation={inviting} gap="xs">
          <Group align="flex-start" gap="sm">
            <TextInput
              label="Email address"
              type="email"
              autoComplete="off"
              required
              withAsterisk={false}
              flex={1}
              miw={220}
              maw={360}
              value={address}
              error={ofAddress}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
            <Select
              label="Role"
              data={ROLE_CHOICES}
              value={role}
              allowDeselect={false}
              onChange={(chosen) => chosen && setRole(chosen as Role)}
            />
            <Button
              type="submit"
              loading={inviting.isPending}
              leftSection={<UserPlus size={16} aria-hidden />}
              mt={{ xs: 25 }}
            >
              Create link
            </Button>
          </Group>
          <Text size="xs" c="dimmed">
            {ROLE_WORDS[role].label}: {ROLE_WORDS[role].about}. Postroad sends no email, so share the link
            yourself.
          </Text>
        </Form>
      </Paper>
    </>
  )
}
