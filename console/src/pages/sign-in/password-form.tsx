import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { signInWithPassword } from '../../api/session.ts'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { PasswordField } from '../../parts/password-field.tsx'

export function PasswordForm({
  onDone,
  onTicket,
}: {
  onDone: () => void
  onTicket: (ticket: string) => void
}) {
  const [address, setAddress] = useState('')
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const signIn = useMutation({
    mutationFn: () => signInWithPassword(address, password),
    onSuccess: (answer) => ('ticket' in answer ? onTicket(answer.ticket) : onDone()),
    onError: () => {
      field.current?.focus()
      field.current?.select()
    },
  })
  return (
    <Form label="Sign in with a password" mutation={signIn}>
      <FormError error={signIn.error} />
      <TextInput
        label="Email address"
        type="email"
        name="username"
        autoComplete="username webauthn"
        autoFocus
        required
        withAsterisk={false}
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      <PasswordField
        ref={field}
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" loading={signIn.isPending} fullWidth mt={4}>
        Sign in
      </Button>
    </Form>
  )
}
