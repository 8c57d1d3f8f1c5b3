import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changePassword } from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { NewPasswordField, PasswordOwner } from '../../parts/password-field.tsx'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'

export function Password() {
  const { person } = useMe()
  const prove = useProof()
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => prove(() => changePassword(password)),
    onSuccess: () => {
      setPassword('')
      notifications.show({ message: 'Your password was changed, and all other sessions have ended.' })
    },
  })
  const about = person.password
    ? 'Changing the password ends all other sessions.'
    : 'No password is set. With a password you can sign in where you have no passkey.'
  return (
    <Section title="Password" about={about}>
      <Form label="Password" mutation={change} maw={420}>
        <FormError error={change.error} />
        <PasswordOwner address={person.address} />
        <NewPasswordField label="New password" value={password} onValue={setPassword} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={password === ''}>
            {person.password ? 'Change password' : 'Set password'}
          </Button>
        </Group>
      </Form>
    </Section>
  )
}
