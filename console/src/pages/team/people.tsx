import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Menu,
  Paper,
  Skeleton,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Ellipsis, KeyRound, ShieldCheck, ShieldOff, UserMinus, UserPlus } from 'lucide-react'
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
  teamChanged,
} from '../../api/team.ts'
import { ask } from '../../parts/confirm.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { OneTimeLink } from './one-time-link.tsx'
import { PagedPeople } from './paged-people.tsx'
import { PersonName } from './person-name.tsx'
import { ROLE_WORDS } from './roles.ts'

/** Everybody with an account on the installation. Only operators see this list. */
export function People() {
  const { data, error, refetch } = useQuery(peopleQuery)
  const linking = useMutation({ mutationFn: makeSignInLink, onSuccess: teamChanged })
  const inviting = useMutation({ mutationFn: inviteOperator, onSuccess: teamChanged })
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (data === undefined) return <Skeleton h={240} />
  const [made, hide] = linking.data ? [linking.data, linking.reset] : [inviting.data, inviting.reset]
  return (
    <>
      {made && <OneTimeLink {...made} title={linkTitle(made)} onClose={hide} />}
      {linking.error && <ErrorAlert error={linking.error} />}
      <NewOperator inviting={inviting} />
      <Paper component="section" withBorder p="md" aria-labelledby="everybody">
        <Title order={2} size="h5" id="everybody" mb="xs">
          People
        </Title>
        <PagedPeople items={data.people}>
          {(shown) => <PeopleTable people={shown} onLink={(id) => linking.mutate(id)} />}
        </PagedPeople>
      </Paper>
    </>
  )
}

function linkTitle({ address }: PersonLink): string {
  return `Sign-in link for ${address ?? 'the first operator'}`
}

interface InviteMutation {
  mutate: (address: string, then: { onSuccess: () => void }) => void
  isPending: boolean
  error: Error | null
}

function NewOperator({ inviting }: { inviting: InviteMutation }) {
  const [address, setAddress] = useState('')
  const { isPending } = inviting
  const mutate = () => inviting.mutate(address, { onSuccess: () => setAddress('') })
  return (
    <Paper component="section" withBorder p="md" mb="md" aria-labelledby="operator">
      <Title order={2} size="h5" id="operator">
        Invite an operator
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        Operators can see and change everything. Invite people of one company on that company’s page.
      </Text>
      {inviting.error && <ErrorAlert error={inviting.error} />}
      <Form mutation={{ mutate, isPending }}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Email address"
            type="email"
            autoComplete="off"
            required
            withAsterisk={false}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            flex={1}
            maw={360}
          />
          <Button type="submit" loading={isPending} leftSection={<UserPlus size={16} aria-hidden />}>
            Create link
          </Button>
        </Group>
      </Form>
    </Paper>
  )
}

function PeopleTable({ people, onLink }: { people: readonly Person[]; onLink: (id: string) => void }) {
  const { person: me } = useMe()
  const changing = useMutation({
    mutationFn: ({ id, operator }: Person) => setOperator(id, !operator),
    onSettled: teamChanged,
  })
  const removing = useMutation({ mutationFn: removePerson, onSettled: teamChanged })
  const error = changing.error ?? removing.error
  return (
    <>
      {error && <ErrorAlert error={error} />}
      <ListTable
        rows={people}
        keyOf={({ id }) => id}
        label="Everybody"
        spacing="xs"
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
            cell: (person) => (
              <PersonActions
                person={person}
                onLink={() => onLink(person.id)}
                onSwitch={() => changing.mutate(person)}
                onRemove={() => removing.mutate(person.id)}
              />
            ),
          },
        ]}
      />
    </>
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

function PersonActions({
  person,
  onLink,
  onSwitch,
  onRemove,
}: {
  person: Person
  onLink: () => void
  onSwitch: () => void
  onRemove: () => void
}) {
  const who = person.name || person.address || 'the first operator'
  const askToSwitch = () =>
    void ask(
      person.operator
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
          },
      onSwitch,
    )
  const askToRemove = () =>
    void ask(
      {
        title: `Remove ${who}?`,
        about:
          'Their account is deleted and their sessions end. This cannot be undone. Everything they set up stays.',
        act: 'Remove',
      },
      onRemove,
    )
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${who}`}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={onLink}>
          Create a sign-in link
        </Menu.Item>
        <Menu.Item
          leftSection={
            person.operator ? <ShieldOff size={16} aria-hidden /> : <ShieldCheck size={16} aria-hidden />
          }
          onClick={askToSwitch}
        >
          {person.operator ? 'Revoke operator rights' : 'Make operator'}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<UserMinus size={16} aria-hidden />} onClick={askToRemove}>
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
