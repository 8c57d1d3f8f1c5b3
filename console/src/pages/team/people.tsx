import { Badge, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, ShieldCheck, ShieldOff, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../api/session.ts'
import {
  inviteOperator,
  makeSignInLink,
  type Person,
  type PersonLink,
  peopleQuery,
  removePerson,
  setOperator,
} from '../../api/team.ts'
import { attempt, confirm } from '../../parts/confirm.tsx'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pending } from '../../parts/pending.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { OneTimeLink } from './one-time-link.tsx'
import { PersonName } from './person-name.tsx'
import { ROLE_WORDS } from './roles.ts'

/** Everybody with an account on the installation. Only operators see this list. */
export function People() {
  const query = useQuery(peopleQuery)
  const { person: me } = useMe()
  const [made, setMade] = useState<PersonLink | null>(null)
  if (!query.data) return <Pending of={query} />
  return (
    <>
      {made && (
        <OneTimeLink
          {...made}
          title={`Sign-in link for ${made.address ?? 'the first operator'}`}
          onClose={() => setMade(null)}
        />
      )}
      <NewOperator onMade={setMade} />
      <Section compact title="People">
        <PagedList
          what="people"
          find="Name or address"
          textOf={({ name, address }) => `${name} ${address ?? ''}`}
          rows={query.data.people}
          keyOf={({ id }) => id}
          label="Everybody"
          columns={[
            {
              head: 'Name',
              width: '50%',
              cell: (person) => <PersonName {...person} isYou={person.id === me.id} />,
            },
            { head: 'Companies', cell: (person) => <Belongings {...person} /> },
            { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: 'Actions',
              headHidden: true,
              right: true,
              cell: (person) => <PersonActions person={person} onLink={setMade} />,
            },
          ]}
        />
      </Section>
    </>
  )
}

function NewOperator({ onMade }: { onMade: (link: PersonLink) => void }) {
  const form = useForm({
    initial: { address: '' },
    submit: ({ address }) => inviteOperator(address),
    onDone(link) {
      form.clear()
      onMade(link)
    },
    errorAt: 'address',
  })
  return (
    <Section
      compact
      title="Invite an operator"
      about="Operators can see and change everything. Invite people of one company on that company’s page."
      mb="md"
    >
      <Form of={form}>
        <Group align="flex-start" gap="sm">
          <TextInput
            label="Email address"
            type="email"
            autoComplete="off"
            required
            withAsterisk={false}
            flex={1}
            maw={360}
            {...form.field('address')}
          />
          <SubmitButton leftSection={<UserPlus size={16} aria-hidden />} mt={{ xs: 25 }}>
            Create link
          </SubmitButton>
        </Group>
      </Form>
    </Section>
  )
}

function Belongings({ operator, companies }: Person) {
  return (
    <Group gap={6}>
      {operator && <Badge variant="light">Operator</Badge>}
      {companies.map(({ id, name, role }) => (
        <Text key={id} size="sm">
          <UntrustedText>{name}</UntrustedText>{' '}
          <Text span c="dimmed">
            ({ROLE_WORDS[role].label.toLowerCase()})
          </Text>
        </Text>
      ))}
      {!operator && companies.length === 0 && (
        <Text size="sm" c="dimmed">
          no company
        </Text>
      )}
    </Group>
  )
}

function PersonActions({ person, onLink }: { person: Person; onLink: (link: PersonLink) => void }) {
  const { id, name, address, operator } = person
  const who = name || address || 'the first operator'
  const askToSwitch = () =>
    confirm({
      ...(operator
        ? {
            title: `Revoke the operator rights of ${who}?`,
            about: 'They keep access to their companies.',
            act: 'Revoke',
          }
        : {
            title: `Make ${who} an operator?`,
            about:
              'They will be able to see and change everything in every company. Make sure whose account this is.',
            act: 'Make operator',
          }),
      run: () => setOperator(id, !operator),
    })
  const askToRemove = () =>
    confirm({
      title: `Remove ${who}?`,
      about:
        'Their account is deleted and their sessions end. This cannot be undone. Everything they set up stays.',
      act: 'Remove',
      run: () => removePerson(id),
    })
  return (
    <RowMenu
      label={`Actions for ${who}`}
      items={[
        {
          label: 'Create a sign-in link',
          icon: KeyRound,
          onClick: () => void attempt({ run: async () => onLink(await makeSignInLink(id)) }),
        },
        {
          label: operator ? 'Revoke operator rights' : 'Make operator',
          icon: operator ? ShieldOff : ShieldCheck,
          onClick: askToSwitch,
        },
        { label: 'Remove', icon: UserMinus, destructive: true, onClick: askToRemove },
      ]}
    />
  )
}
