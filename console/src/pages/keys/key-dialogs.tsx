import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type ApiKey, renameKey, revokeKey } from '../../api/keys.ts'

interface Props {
  apiKey: ApiKey | null
  close: () => void
}

export function RenameKey({ apiKey, close }: Props) {
  return (
    <Modal opened={apiKey !== null} onClose={close} title="Rename the key">
      {apiKey && <RenameForm apiKey={apiKey} close={close} />}
    </Modal>
  )
}

function RenameForm({ apiKey: { id, name: before, company }, close }: { apiKey: ApiKey; close: () => void }) {
  const [name, setName] = useState(before)
  const renaming = useMutation({ mutationFn: () => renameKey(company.id, id, name), onSuccess: close })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={renaming.error?.message}
          maxLength={200}
          data-autofocus
          required
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={renaming.isPending} disabled={name.trim() === ''}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function RevokeKey({ apiKey, close }: Props) {
  return (
    <Modal opened={apiKey !== null} onClose={close} title="Revoke the key?">
      {apiKey && <Revocation apiKey={apiKey} close={close} />}
    </Modal>
  )
}

function Revocation({ apiKey: { id, name, company }, close }: { apiKey: ApiKey; close: () => void }) {
  const revoking = useMutation({ mutationFn: () => revokeKey(company.id, id), onSuccess: close })
  return (
    <Stack>
      <Text size="sm">
        “{name}” works no more within a second, wherever it is used, and for good. What was accepted with it
        is sent.
      </Text>
      {revoking.error && (
        <Text role="alert" size="sm" c="red">
          {revoking.error.message}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke for good
        </Button>
      </Group>
    </Stack>
  )
}
