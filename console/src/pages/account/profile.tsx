import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changeProfile } from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'

export function Profile() {
  const { person } = useMe()
  const prove = useProof()
  const [name, setName] = useState(person.name)
  const [address, setAddress] = useState(person.address ?? '')
  const mayMove = person.operator || person.address === null
  const moved = mayMove && address !== (person.address ?? '')
  const save = useMutation({
    mutationFn: () => prove(() => changeProfile({ name, ...(moved && { address }) })),
    onSuccess: () => notifications.show({ message: 'Your profile was saved.' }),
  })
  return (
    <Section title="Profile" about="How others see you in lists of people and of changes.">
      <Form label="Profile" mutation={save} maw={420}>
        <FormError error={save.error} />
        <TextInput
          label="Name"
          name="name"
          autoComplete="name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label="Email address"
          description={
            mayMove
              ? 'You sign in with this address.'
              : 'You sign in and are invited with this address. Only an operator can change it.'
          }
          type="email"
          name="email"
          autoComplete="email"
          readOnly={!mayMove}
          value={address}
          onChange={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={name === person.name && !moved}>
            Save
          </Button>
        </Group>
      </Form>
    </Section>
  )
}
