import { Group } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { accountQuery, goToConnect, type Identity, removeIdentity } from '../../api/account.ts'
import { waysQuery } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { keepConnecting } from '../sign-in/arrival.ts'
import { useProof } from './proof.tsx'

/** Hidden if the installation has no provider and the person has no connected account. */
export function Identities() {
  const { identities } = useSuspenseQuery(accountQuery).data
  const { data: ways } = useQuery(waysQuery)
  const prove = useProof()
  const openid = ways?.openid ?? null
  if (openid === null && identities.length === 0) return null
  return (
    <Section title="Connected accounts" about="Sign in with your account at another provider.">
      <ListTable
        rows={identities}
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
              <Disconnect identity={identity} run={() => prove(() => removeIdentity(identity.id))} />
            ),
          },
        ]}
      />
      {openid !== null && (
        <Group>
          <ActionButton
            variant={identities.length > 0 ? 'default' : 'filled'}
            run={() =>
              prove(() => {
                keepConnecting('/account')
                return goToConnect()
              })
            }
          >
            Connect {identities.length > 0 ? 'another account' : 'your account'} of {openid}
          </ActionButton>
        </Group>
      )}
    </Section>
  )
}

function Disconnect({
  identity: { address, provider },
  run,
}: {
  identity: Identity
  run: () => Promise<unknown>
}) {
  const what = `${address ?? 'the account'} of ${provider}`
  const ask = () =>
    confirm({
      title: 'Disconnect the account?',
      act: 'Disconnect',
      about: `You will no longer be able to sign in with ${what}.`,
      run,
    })
  return <IconButton icon={Unlink} color="red" label="Disconnect" name={`Disconnect ${what}`} onClick={ask} />
}
