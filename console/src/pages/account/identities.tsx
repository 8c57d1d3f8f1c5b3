import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { accountQuery, goToConnect, type Identity, removeIdentity } from '../../api/account.ts'
import { waysQuery } from '../../api/session.ts'
import { ask } from '../../parts/confirm.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { keepConnecting } from '../sign-in/arrival.ts'
import { useProof } from './proof.tsx'

/** Hidden if the installation has no provider and the person has no connected account. */
export function Identities() {
  const { data: account } = useSuspenseQuery(accountQuery)
  const { data: ways } = useQuery(waysQuery)
  const prove = useProof()
  const connect = useMutation({
    mutationFn: () =>
      prove(() => {
        keepConnecting('/account')
        return goToConnect()
      }),
  })
  const remove = useMutation({ mutationFn: (id: string) => prove(() => removeIdentity(id)) })
  const openid = ways?.openid ?? null
  if (openid === null && account.identities.length === 0) return null
  return (
    <Section title="Connected accounts" about="Sign in with your account at another provider.">
      <FormError error={connect.error ?? remove.error} />
      {account.identities.length > 0 && (
        <ListTable
          rows={account.identities}
          keyOf={({ id }) => id}
          label="Connected accounts"
          spacing="xs"
          columns={[
            { head: 'Provider', cell: ({ provider }) => provider },
            {
              head: 'Account',
              cell: ({ address }) => (address === null ? '-' : <UntrustedText>{address}</UntrustedText>),
            },
            { head: 'Connected', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: 'Actions',
              headHidden: true,
              right: true,
              cell: (identity) => (
                <Disconnect identity={identity} onRemove={() => remove.mutate(identity.id)} />
              ),
            },
          ]}
        />
      )}
      {openid !== null && (
        <Group>
          <Button
            variant={account.identities.length > 0 ? 'default' : 'filled'}
            loading={connect.isPending || connect.isSuccess}
            onClick={() => connect.mutate()}
          >
            Connect {account.identities.length > 0 ? 'another account' : 'your account'} of {openid}
          </Button>
        </Group>
      )}
    </Section>
  )
}

function Disconnect({ identity, onRemove }: { identity: Identity; onRemove: () => void }) {
  const what = `${identity.address ?? 'the account'} of ${identity.provider}`
  const confirmed = () =>
    void ask(
      {
        title: 'Disconnect the account?',
        act: 'Disconnect',
        about: `You will no longer be able to sign in with ${what}.`,
      },
      onRemove,
    )
  return (
    <Tooltip label="Disconnect">
      <ActionIcon variant="subtle" color="red" aria-label={`Disconnect ${what}`} onClick={confirmed}>
        <Unlink size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
