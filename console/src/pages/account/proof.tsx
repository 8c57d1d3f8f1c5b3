/**
 * Some changes need a fresh proof of identity. The page asks for it when the server does, and then retries
 * the change.
 */
import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { KeySquare } from 'lucide-react'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { confirmPassword } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { signInWithPasskey, supportsPasskeys, wasCanceled } from '../../api/passkeys.ts'
import { useMe } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { PasswordField, PasswordOwner } from '../../parts/password-field.tsx'

type Prove = <Result>(change: () => Promise<Result>) => Promise<Result>

const Proving = createContext<Prove>((change) => change())

/** Makes a change, and retries it after a proof of identity. Rejects if the server refuses the change. */
export function useProof(): Prove {
  return useContext(Proving)
}

interface PendingProof {
  proved: () => void
  given: (up: Error) => void
}

export function ProofProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<PendingProof | null>(null)
  const prove: Prove = async (change) => {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'proof_needed') throw error
      await new Promise<void>((proved, given) => setPending({ proved, given }))
      return await change()
    }
  }
  const close = () => {
    pending?.given(new Error('Nothing was changed, because you did not confirm your identity.'))
    setPending(null)
  }
  const proved = () => {
    pending?.proved()
    setPending(null)
  }
  return (
    <Proving value={prove}>
      {children}
      <Dialog opened={pending !== null} onClose={close} title="Confirm your identity">
        <Proof onProved={proved} />
      </Dialog>
    </Proving>
  )
}

function Proof({ onProved }: { onProved: () => void }) {
  const { person } = useMe()
  const form = useForm({
    initial: { password: '' },
    submit: ({ password }) => confirmPassword(password),
    onDone: onProved,
    errorAt: 'password',
  })
  const byPasskey = useMutation({ mutationFn: () => signInWithPasskey(), onSuccess: onProved })
  const hasPasskey = person.passkeys > 0 && supportsPasskeys
  return (
    <Stack gap="sm">
      <Text size="sm">
        You signed in a while ago. Confirm your identity before you change how you sign in.
      </Text>
      {person.password && (
        <Form of={form} label="Confirm with your password" actions={<SubmitButton>Confirm</SubmitButton>}>
          <PasswordOwner address={person.address} />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            data-autofocus
            {...form.field('password')}
          />
        </Form>
      )}
      <FormError error={wasCanceled(byPasskey.error) ? null : byPasskey.error} />
      {hasPasskey && (
        <Button
          variant="default"
          leftSection={<KeySquare size={18} aria-hidden />}
          loading={byPasskey.isPending}
          onClick={() => byPasskey.mutate()}
        >
          Use a passkey
        </Button>
      )}
      {!person.password && !hasPasskey && (
        <Button component="a" href="/console/sign-in?to=%2Faccount">
          Sign in again
        </Button>
      )}
    </Stack>
  )
}
