/** Sets a relay, which takes mail instead of the route of the installation. */
import { Button, Code, Group, Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DomainRelay, NewRelay } from '../../api/domains.ts'
import { useMe } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { FormError } from '../../parts/form-error.tsx'

const DELIVERY = {
  capture: 'Mail is captured here and is not sent.',
  direct: 'Mail is delivered directly to recipients’ servers.',
  relay: 'Mail goes through the relay of the installation.',
} as const

/** The route of mail without a relay of its own. */
export function useDelivery(): string {
  return DELIVERY[useMe().installation.delivery]
}

export function RelaySummary({ relay }: { relay: DomainRelay }) {
  const { installation } = useMe()
  return (
    <Text size="sm">
      Through the relay <Code>{relay.url}</Code>
      {relay.login ? ', with a login.' : ', without a login.'}
      {installation.delivery === 'capture' && ' It is not used in capture mode.'}
    </Text>
  )
}

/** `set`: receives `null` to remove the relay. */
export function RelayActions({
  relay,
  whose,
  set,
}: {
  relay: DomainRelay | null
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
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Relay for ${whose}`}>
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
        description="Stored encrypted and never shown again. Leave empty if the relay needs none."
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="off"
      />
    </DialogForm>
  )
}
