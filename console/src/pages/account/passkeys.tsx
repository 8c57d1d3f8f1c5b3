import { ActionIcon, Anchor, Button, Group, Modal, Text, TextInput, Tooltip } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { accountQuery, type Passkey, removePasskey, renamePasskey } from '../../api/account.ts'
import { addPasskey, onHostName, passkeysWork, wasGivenUp } from '../../api/passkeys.ts'
import { ask } from '../../parts/confirm.tsx'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { browserOf } from './browser-name.ts'
import { useProof } from './proof.tsx'

export function Passkeys() {
  const { data: account } = useSuspenseQuery(accountQuery)
  const prove = useProof()
  const [renamed, setRenamed] = useState<Passkey | null>(null)
  const add = useMutation({
    mutationFn: () => prove(() => addPasskey(browserOf(navigator.userAgent))),
  })
  const remove = useMutation({ mutationFn: (id: string) => prove(() => removePasskey(id)) })
  const error = [add.error, remove.error].find((each) => each && !wasGivenUp(each)) ?? null
  return (
    <Section
      title="Passkeys"
      about="Sign in with a fingerprint, your face, the PIN of your device or a security key. There is nothing to type, and nothing that a fake page could steal."
    >
      <FormError error={error} />
      {account.passkeys.length > 0 && (
        <ListTable
          rows={account.passkeys}
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
                <Actions
                  passkey={passkey}
                  onRename={() => setRenamed(passkey)}
                  onRemove={() => remove.mutate(passkey.id)}
                />
              ),
            },
          ]}
        />
      )}
      <Group>
        <Button loading={add.isPending} disabled={!passkeysWork} onClick={() => add.mutate()}>
          Add a passkey
        </Button>
        {!onHostName && <NoHostName />}
      </Group>
      <Modal opened={renamed !== null} onClose={() => setRenamed(null)} title="Rename passkey" centered>
        {renamed && <Rename passkey={renamed} onDone={() => setRenamed(null)} />}
      </Modal>
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

function Actions({
  passkey,
  onRename,
  onRemove,
}: {
  passkey: Passkey
  onRename: () => void
  onRemove: () => void
}) {
  const confirmed = () =>
    void ask(
      {
        title: 'Remove this passkey?',
        about: `You will no longer be able to sign in with ${passkey.name}.`,
        act: 'Remove',
      },
      onRemove,
    )
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Tooltip label="Rename">
        <ActionIcon variant="subtle" color="gray" aria-label={`Rename ${passkey.name}`} onClick={onRename}>
          <Pencil size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Remove">
        <ActionIcon variant="subtle" color="red" aria-label={`Remove ${passkey.name}`} onClick={confirmed}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

function Rename({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const [name, setName] = useState(passkey.name)
  const rename = useMutation({ mutationFn: () => renamePasskey(passkey.id, name), onSuccess: onDone })
  return (
    <Form label="Name" mutation={rename}>
      <FormError error={rename.error} />
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button type="submit" loading={rename.isPending}>
        Save
      </Button>
    </Form>
  )
}
