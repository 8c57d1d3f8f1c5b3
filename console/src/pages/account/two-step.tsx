import { Badge, Group, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  accountQuery,
  beginTotp,
  renewRecoveryCodes,
  type TotpSetup,
  turnOffTotp,
} from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpDialog } from './totp-dialog.tsx'

export function TwoStep() {
  const { person } = useMe()
  const { recoveryCodes } = useSuspenseQuery(accountQuery).data
  const prove = useProof()
  const [setup, setSetup] = useState<TotpSetup | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <Section
      title="Two-step verification"
      about="After your password, you enter a code from an app on your phone. Passkeys need no code."
      action={
        <Badge color={person.totp ? 'road' : 'gray'} variant="light">
          {person.totp ? 'On' : 'Off'}
        </Badge>
      }
    >
      {person.totp ? (
        <Group gap="sm">
          <Text size="sm">
            {recoveryCodes === 1 ? '1 recovery code is' : `${recoveryCodes} recovery codes are`} left.
          </Text>
          <ActionButton
            ask={{
              title: 'Create new recovery codes?',
              about: 'Your current codes stop working.',
              act: 'Create codes',
            }}
            run={async () => setCodes((await prove(renewRecoveryCodes)).codes)}
          >
            New recovery codes
          </ActionButton>
          <ActionButton
            variant="subtle"
            color="red"
            ask={{
              title: 'Turn off two-step verification?',
              about: 'You will sign in with your password alone.',
              act: 'Turn off',
            }}
            run={() => prove(turnOffTotp)}
          >
            Turn off
          </ActionButton>
        </Group>
      ) : (
        <Group>
          <ActionButton variant="filled" run={async () => setSetup(await prove(beginTotp))}>
            Turn on
          </ActionButton>
        </Group>
      )}
      <TotpDialog
        setup={setup}
        onClose={() => setSetup(null)}
        onDone={(made) => {
          setSetup(null)
          setCodes(made)
        }}
      />
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Section>
  )
}
