import { Anchor, Button, Group, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { accountQuery, type Passkey, removePasskey, renamePasskey } from '../../api/account.ts'
import { addPasskey, onHostName, supportsPasskeys, wasCanceled } from '../../api/passkeys.ts'
import { confirm } from '../../parts/confirm.tsx'
import { RenameDialog } from '../../parts/form-dialog.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { browserOf } from './browser-name.ts'
import { useProof } from './proof.tsx'

export function Passkeys() {
  const { passkeys } = useSuspenseQuery(accountQuery).data
  const prove = useProof()
  const [renamed, setRenamed] = useState<Passkey | null>(null)
  const add = useMutation({ mutationFn: () => prove(() => addPasskey(browserOf(navigator.userAgent))) })
  const askToRemove = ({ id, name }: Passkey) =>
    confirm({
      title: 'Remove this passkey?',
      about: `You will no longer be able to sign in with ${name}.`,
      act: 'Remove',
      run: () => prove(() => removePasskey(id)),
    })
  return (
    <Section
      title="Passkeys"
      about="Sign in with your fingerprint, your face, your device’s PIN or a security key. There is nothing to type, and nothing for a phishing page to steal."
    >
      <FormError error={wasCanceled(add.error) ? null : add.error} />
      <ListTable
        rows={passkeys}
        keyOf={({ id }) => id}
        label="Passkeys"
        spacing="xs"
        columns={[
          { head: 'Name', cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
          { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { head: 'Last used', cell: ({ usedAt }) => <Time at={usedAt} /> },
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (passkey) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <IconButton
                  icon={Pencil}
                  label="Rename"
                  name={`Rename ${passkey.name}`}
                  onClick={() => setRenamed(passkey)}
                />
                <IconButton
                  icon={Trash2}
                  color="red"
                  label="Remove"
                  name={`Remove ${passkey.name}`}
                  onClick={() => askToRemove(passkey)}
                />
              </Group>
            ),
          },
        ]}
      />
      <Group>
        <Button loading={add.isPending} disabled={!supportsPasskeys} onClick={() => add.mutate()}>
          Add a passkey
        </Button>
        {!onHostName && <NoHostName />}
      </Group>
      <RenameDialog
        title="Rename passkey"
        submitLabel="Save"
        from={renamed?.name ?? null}
        rename={(name) => renamePasskey(renamed!.id, name)}
        close={() => setRenamed(null)}
      />
    </Section>
  )
}

function NoHostName() {
  const { protocol, port } = window.location
  const url = `${protocol}//localhost${port && `:${port}`}/console/account`
  return (
    <Text size="sm" c="dimmed">
      Passkeys need a host name, but this page was opened at an IP address.{' '}
      {window.location.hostname.startsWith('127.') && <Anchor href={url}>Open it at localhost</Anchor>}
    </Text>
  )
}
