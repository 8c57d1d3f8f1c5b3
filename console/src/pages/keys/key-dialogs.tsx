import { Modal, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiKey, renameKey, revokeKey } from '../../api/keys.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

interface KeyDialogProps {
  apiKey: ApiKey | null
  close: () => void
}

export function RenameKey({ apiKey, close }: KeyDialogProps) {
  return (
    <Modal opened={apiKey !== null} onClose={close} title="Rename key">
      {apiKey && <RenameForm apiKey={apiKey} close={close} />}
    </Modal>
  )
}

function RenameForm({ apiKey: { id, name: before, company }, close }: { apiKey: ApiKey; close: () => void }) {
  const [name, setName] = useState(before)
  const renaming = useMutation({ mutationFn: () => renameKey(company.id, id, name), onSuccess: close })
  return (
    <DialogForm
      submitLabel="Rename"
      mutation={renaming}
      close={close}
      valid={name.trim() !== ''}
      errorAtField
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={renaming.error?.message}
        maxLength={200}
        data-autofocus
        required
      />
    </DialogForm>
  )
}

export function RevokeKey({ apiKey, close }: KeyDialogProps) {
  return (
    <Modal opened={apiKey !== null} onClose={close} title="Revoke this key?">
      {apiKey && <Revocation apiKey={apiKey} close={close} />}
    </Modal>
  )
}

function Revocation({ apiKey: { id, name, company }, close }: { apiKey: ApiKey; close: () => void }) {
  const revoking = useMutation({ mutationFn: () => revokeKey(company.id, id), onSuccess: close })
  return (
    <DialogForm submitLabel="Revoke key" cancelLabel="Keep key" mutation={revoking} close={close} destructive>
      <Text size="sm">
        “<UntrustedText>{name}</UntrustedText>” stops working everywhere within a second. This cannot be
        undone. Emails that were accepted with it are still sent.
      </Text>
    </DialogForm>
  )
}
