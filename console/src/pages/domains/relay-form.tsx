/** Sets a relay, which takes mail instead of the route of the installation. */
import { Button, Code, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { DomainRelay, NewRelay } from '../../api/domains.ts'
import { useIsCapture, useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ExactInput } from '../../parts/exact-input.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { PasswordField } from '../../parts/password-field.tsx'

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
  return (
    <Text size="sm">
      {useIsCapture() ? `${DELIVERY.capture} In other modes it goes through` : 'Through'} the relay{' '}
      <Code>{relay.url}</Code>
      {relay.login ? ', with a login.' : ', without a login.'}
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
  const captures = useIsCapture()
  return (
    <>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setOpened(true)}>
          {relay === null ? 'Set a relay...' : 'Change relay...'}
        </Button>
        {relay !== null && (
          <ActionButton variant="subtle" color="red" size="xs" run={() => set(null)}>
            Remove the relay
          </ActionButton>
        )}
      </Group>
      <FormDialog
        title={`Relay for ${whose}`}
        opened={opened}
        close={() => setOpened(false)}
        initial={{ url: '', password: '' }}
        submit={({ url, password }) => set({ url: url.trim(), ...(password !== '' && { password }) })}
        errorAt="url"
        valid={({ url }) => url.trim() !== ''}
        submitLabel="Use this relay"
      >
        {({ field }) => (
          <>
            {captures && (
              <Text size="sm" fw={500}>
                The relay is not used in capture mode: mail stays here until POSTROAD_DELIVERY has another
                value.
              </Text>
            )}
            <ExactInput
              label="Relay"
              description="smtp://user@host:587 (STARTTLS) or smtps://user@host:465 (TLS from the start)"
              placeholder="smtp://user@relay.example.com:587"
              {...field('url')}
            />
            <PasswordField
              label="Password"
              description="Stored encrypted and never shown again. Leave empty if the relay needs none."
              autoComplete="off"
              {...field('password')}
            />
          </>
        )}
      </FormDialog>
    </>
  )
}
