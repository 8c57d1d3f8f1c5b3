import { Anchor, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { signInWithCode } from '../../api/session.ts'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'

/** The second step after the password. `onEnded`: called if it took too long and has to start again. */
export function SecondFactor({
  ticket,
  onDone,
  onEnded,
}: {
  ticket: string
  onDone: () => void
  onEnded: (why: Error) => void
}) {
  const [recovery, setRecovery] = useState(false)
  const [code, setCode] = useState('')
  const signIn = useMutation({
    mutationFn: (given: string) => signInWithCode(ticket, given),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ended') onEnded(error)
      setCode('')
    },
  })
  const send = (given: string) => {
    if (given.trim() !== '' && !signIn.isPending) signIn.mutate(given)
  }
  const type = (given: string) => {
    setCode(given)
    // The last digit, or a pasted code, submits the form.
    if (!recovery && /^\d{6}$/.test(given.replace(/\s/g, ''))) send(given)
  }
  return (
    <Form label="Second step" mutation={{ mutate: () => send(code), isPending: signIn.isPending }}>
      <FormError error={signIn.error} />
      {recovery ? (
        <TextInput
          key="recovery"
          label="Recovery code"
          description="One of the codes that you saved. Each code works once."
          placeholder="xxxx-xxxx-xxxx-xxxx"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={code}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
      ) : (
        <TextInput
          key="code"
          label="Code"
          description="The six digits in your authenticator app."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          autoFocus
          value={code}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
      )}
      <Button type="submit" loading={signIn.isPending} fullWidth>
        Sign in
      </Button>
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="center"
        onClick={() => {
          setRecovery(!recovery)
          setCode('')
          signIn.reset()
        }}
      >
        {recovery ? 'Use the authenticator app' : 'Use a recovery code'}
      </Anchor>
    </Form>
  )
}
