import { Anchor, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changePassword, changeProfile } from '../../api/account.ts'
import type { Me } from '../../api/session.ts'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'

/**
 * Asks for a password after a link, so that the person can sign in without another one. `onSkip`: `null` to
 * require it.
 */
export function ChoosePassword({
  me: { person },
  onDone,
  onSkip,
}: {
  me: Me
  onDone: () => void
  onSkip: (() => void) | null
}) {
  const [address, setAddress] = useState(person.address ?? '')
  const [name, setName] = useState(person.name)
  const [password, setPassword] = useState('')
  const choose = useMutation({
    mutationFn: async () => {
      const profile = { name, ...(person.address === null && { address }) }
      await changeProfile(profile)
      await changePassword(password)
    },
    onSuccess: onDone,
  })
  return (
    <Form label="Choose a password" mutation={choose}>
      <FormError error={choose.error} />
      <TextInput
        label="Email address"
        description={person.address === null ? 'You sign in with this address.' : undefined}
        type="email"
        name="username"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={person.address !== null}
        autoFocus={person.address === null}
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="How others see you."
        name="name"
        autoComplete="name"
        autoFocus={person.address !== null}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NewPasswordField
        label="Password"
        required
        withAsterisk={false}
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" loading={choose.isPending} fullWidth mt={4}>
        Save and continue
      </Button>
      {onSkip && (
        <Anchor component="button" type="button" size="sm" ta="center" onClick={onSkip}>
          Not now
        </Anchor>
      )}
    </Form>
  )
}
