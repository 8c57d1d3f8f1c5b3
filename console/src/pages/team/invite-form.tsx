import { Group, Select, Text, TextInput } from '@mantine/core'
import { UserPlus } from 'lucide-react'
import { type Me, useMe } from '../../api/session.ts'
import { invite, type Role } from '../../api/team.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { Section } from '../../parts/section.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { ROLE_CHOICES, ROLE_WORDS } from './roles.ts'

/** Creates an invitation to the company, as a link. */
export function InviteForm({ company }: { company: string }) {
  const form = useForm({
    initial: { address: '', role: 'developer' as Role },
    submit: (invited) => invite(company, invited),
    onDone() {
      form.set({ address: '' })
    },
    errorAt: 'address',
  })
  const { result: made, values } = form
  const me = useMe()
  const { mails, delivery } = me.installation
  const { label, about } = ROLE_WORDS[values.role]
  return (
    <>
      {made && <InvitationLink made={made} onClose={form.forget} />}
      <Section compact title="Invite somebody" mb="md">
        <Form of={form} gap="xs">
          <Group align="flex-start" gap="sm">
            <TextInput
              label="Email address"
              type="email"
              autoComplete="off"
              required
              withAsterisk={false}
              flex={1}
              miw={220}
              maw={360}
              {...form.field('address')}
            />
            <Select label="Role" data={ROLE_CHOICES} allowDeselect={false} {...form.field('role')} />
            <SubmitButton leftSection={<UserPlus size={16} aria-hidden />} mt={{ xs: 25 }}>
              {mails && delivery !== 'capture' ? 'Invite' : 'Create link'}
            </SubmitButton>
          </Group>
          <Text size="xs" c="dimmed">
            {label}: {about}. {mailingOf(me)}
          </Text>
        </Form>
      </Section>
    </>
  )
}

function mailingOf({ installation: { mails, delivery }, person }: Me): string {
  if (delivery === 'capture') return 'In capture mode Postroad does not mail the link: pass it on yourself.'
  if (mails) return 'The link is mailed to the address.'
  return person.operator
    ? 'Pass the link on yourself. Postroad mails it if POSTROAD_SYSTEM_FROM is set.'
    : 'Postroad does not mail the link: pass it on yourself.'
}
