import { TextInput } from '@mantine/core'
import { changeProfile } from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { Form, useForm } from '../../parts/form.tsx'
import { notify } from '../../parts/notify.ts'
import { Section } from '../../parts/section.tsx'
import { useProof } from './proof.tsx'

export function Profile() {
  const { person } = useMe()
  const prove = useProof()
  const mayMove = person.operator || person.address === null
  const isMoved = (address: string) => mayMove && address !== (person.address ?? '')
  const form = useForm({
    initial: { name: person.name, address: person.address ?? '' },
    submit: ({ name, address }) => prove(() => changeProfile({ name, ...(isMoved(address) && { address }) })),
    onDone: () => void notify({ message: 'Your profile was saved.' }),
    valid: ({ name, address }) => name !== person.name || isMoved(address),
  })
  return (
    <Section title="Profile" about="The name that others see in lists of people and changes.">
      <Form of={form} label="Profile" maw={420} actions="Save">
        <TextInput label="Name" name="name" autoComplete="name" {...form.field('name')} />
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
          {...form.field('address')}
        />
      </Form>
    </Section>
  )
}
