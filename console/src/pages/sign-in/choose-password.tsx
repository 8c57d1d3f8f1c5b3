import { TextInput } from '@mantine/core'
import { changePassword, changeProfile } from '../../api/account.ts'
import type { Me } from '../../api/session.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'
import { AddressField } from './address-field.tsx'

/** Asks for a password after a link, so that the person can sign in without another one. */
export function ChoosePassword({ me: { person }, onDone }: { me: Me; onDone: () => void }) {
  const form = useForm({
    initial: { name: person.name, address: person.address ?? '', password: '' },
    submit: async ({ name, address, password }) => {
      await changeProfile({ name, ...(person.address === null && { address }) })
      await changePassword(password)
    },
    onDone,
  })
  return (
    <Form of={form} label="Choose a password" actions={<SubmitButton mt={4}>Save and continue</SubmitButton>}>
      <AddressField
        description={person.address === null ? 'You sign in with this address.' : undefined}
        readOnly={person.address !== null}
        autoFocus={person.address === null}
        {...form.field('address')}
      />
      <TextInput
        label="Name"
        description="How others see you."
        name="name"
        autoComplete="name"
        autoFocus={person.address !== null}
        {...form.field('name')}
      />
      <NewPasswordField label="Password" required withAsterisk={false} {...form.field('password')} />
    </Form>
  )
}
