import { changePassword } from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { Form, useForm } from '../../parts/form.tsx'
import { notify } from '../../parts/notify.ts'
import { NewPasswordField, PasswordOwner } from '../../parts/password-field.tsx'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'

export function Password() {
  const { person } = useMe()
  const prove = useProof()
  const form = useForm({
    initial: { password: '' },
    submit: ({ password }) => prove(() => changePassword(password)),
    onDone() {
      form.clear()
      void notify({ message: 'Your password was changed, and all other sessions have ended.' })
    },
    errorAt: 'password',
    valid: ({ password }) => password !== '',
  })
  const about = person.password
    ? 'Changing the password ends all other sessions.'
    : 'No password is set. With a password you can sign in where you have no passkey.'
  return (
    <Section title="Password" about={about}>
      <Form
        of={form}
        label="Password"
        maw={420}
        actions={person.password ? 'Change password' : 'Set password'}
      >
        <PasswordOwner address={person.address} />
        <NewPasswordField label="New password" {...form.field('password')} />
      </Form>
    </Section>
  )
}
