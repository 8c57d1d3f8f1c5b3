/** A relay that takes mail instead of what the installation does with it. */
import { Button, Code, Group, Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewRelay, Relay } from '../../api/domains.ts'
import { useMe } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { FormError } from '../../parts/form-error.tsx'

const DELIVERY = {
  capture: 'It is captured here, and leaves for nowhere.',
  direct: 'Mail is delivered directly to the servers of its recipients.',
  relay: 'It goes through the relay of the installation.',
} as const

/** What becomes of all mail that has no relay of its own. */
export function useDelivery(): string {
  return DELIVERY[useMe().installation.delivery]
}

export function RelayShown({ relay }: { relay: Relay }) {
  const { installation } = useMe()
  return (
    <Text size="sm">
      Through the relay <Code>{relay.url}</Code>
      {relay.login ? ', with a login.' : ', without a login.'}
      {installation.delivery === 'capture' && ' While mail is captured here, none goes there.'}
    </Text>
  )
}

/** `set`: null removes it. */
export function RelayActions({
  relay,
  whose,
  set,
}: {
  relay: Relay | null
  whose: string
  set: (relay: NewRelay | null) => Promise<unknown>
}) {
  const [opened, setOpened] = useState(false)
  const removing = useMutation({ mutationFn: () => set(null) })
  return (
    <>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setOpened(true)}>
          {relay === null ? 'Set a relay' : 'Change'}
        </Button>
        {relay !== null && (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            Remove the relay
          </Button>
        )}
      </Group>
      <FormError error={removing.error} />
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Relay of ${whose}`}>
        <Form set={set} close={() => setOpened(false)} />
      </Modal>
    </>
  )
}

function Form({ set, close }: { set: (relay: NewRelay) => Promise<unknown>; close: () => void }) {
  const [url, setUrl] = useState('')
  const [password, setPassword] = useState('')
  const setting = useMutation({
    mutationFn: () => set({ url: url.trim(), ...(password !== '' && { password }) }),
    onSuccess: close,
  })
  return (
    <DialogForm
      submitLabel="Use this relay"
      mutation={setting}
      close={close}
      valid={url.trim() !== ''}
      errorAtField
    >
      <TextInput
        label="Relay"
        description="smtp://user@host:587 (STARTTLS) or smtps://user@host:465 (TLS from the start)"
        placeholder="smtp://user@relay.example.com:587"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={setting.error?.message}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        required
      />
      <PasswordInput
        label="Password"
        description="Sealed, and shown to nobody again. Empty where the relay asks for none."
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="off"
      />
    </DialogForm>
  )
}
