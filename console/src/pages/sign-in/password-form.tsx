import { signInWithPassword } from '../../api/session.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { AddressField } from './address-field.tsx'

export function PasswordForm({
  onDone,
  onTicket,
}: {
  onDone: () => void
  onTicket: (ticket: string) => void
}) {
  const form = useForm({
    initial: { address: '', password: '' },
    submit: ({ address, password }) => signInWithPassword(address, password),
    onDone: (answer) => ('ticket' in answer ? onTicket(answer.ticket) : onDone()),
    errorAt: 'password',
  })
  return (
    <Form of={form} label="Sign in with a password" actions={<SubmitButton mt={4}>Sign in</SubmitButton>}>
      <AddressField autoComplete="username webauthn" autoFocus {...form.field('address')} />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        {...form.field('password')}
      />
    </Form>
  )
}
