import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  accountQuery,
  beginTotp,
  renewRecoveryCodes,
  type TotpSetup,
  turnOffTotp,
} from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { ask } from '../../parts/confirm.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpDialog } from './totp-dialog.tsx'

export function TwoStep() {
  const { person } = useMe()
  const { data: account } = useSuspenseQuery(accountQuery)
  const prove = useProof()
  const [setup, setSetup] = useState<TotpSetup | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const begin = useMutation({ mutationFn: () => prove(beginTotp), onSuccess: setSetup })
  const turnOff = useMutation({ mutationFn: () => prove(turnOffTotp) })
  const renew = useMutation({ mutationFn: () => prove(renewRecoveryCodes), onSuccess: setCodes })
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
      <FormError error={begin.error ?? turnOff.error ?? renew.error} />
      {person.totp ? (
        <Group gap="sm">
          <Text size="sm">
            {account.recoveryCodes === 1
              ? '1 recovery code is'
              : `${account.recoveryCodes} recovery codes are`}{' '}
            left.
          </Text>
          <Button
            variant="default"
            loading={renew.isPending}
            onClick={() =>
              void ask(
                {
                  title: 'Create new recovery codes?',
                  about: 'Your current codes stop working.',
                  act: 'Create codes',
                },
                renew.mutate,
              )
            }
          >
            New recovery codes
          </Button>
          <Button
            variant="subtle"
            color="red"
            loading={turnOff.isPending}
            onClick={() =>
              void ask(
                {
                  title: 'Turn off two-step verification?',
                  about: 'You will sign in with your password alone.',
                  act: 'Turn off',
                },
                turnOff.mutate,
              )
            }
          >
            Turn off
          </Button>
        </Group>
      ) : (
        <Group>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            Turn on
          </Button>
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
