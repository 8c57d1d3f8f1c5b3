/** The kinds of problems that the person gets by mail. */
import { Checkbox, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { changeProfile } from '../../api/account.ts'
import { type Me, useMe } from '../../api/session.ts'
import { Form, useForm } from '../../parts/form.tsx'
import { Section } from '../../parts/section.tsx'

type AlertChoice = Me['person']['alerts'][number]

const KINDS: readonly { kind: AlertChoice; label: string; about: string; forOperators?: true }[] = [
  {
    kind: 'installation',
    label: 'The installation',
    about: 'A check on the Installation page finds a problem.',
    forOperators: true,
  },
  { kind: 'domains', label: 'Domains', about: 'A sending domain has lost its DNS records.' },
  { kind: 'webhooks', label: 'Webhooks', about: 'A webhook has failed for an hour.' },
  {
    kind: 'rates',
    label: 'Bounces and complaints',
    about: 'More than 5% of the mail bounces, or 0.1% leads to complaints.',
  },
  {
    kind: 'waiting',
    label: 'Waiting mail',
    about: 'Mail has waited for an hour without a delivery attempt.',
  },
]

export function Alerts() {
  const { person, installation } = useMe()
  const form = useForm({
    initial: { alerts: person.alerts },
    submit: ({ alerts }) => changeProfile({ alerts }),
    onDone: () => notifications.show({ message: 'Your choice was saved.' }),
    valid: ({ alerts }) => alerts.toSorted().join() !== person.alerts.toSorted().join(),
  })
  if (!installation.mails) return null
  const { alerts } = form.values
  const choose = (kind: AlertChoice, isChosen: boolean) =>
    form.set({ alerts: isChosen ? [...alerts, kind] : alerts.filter((each) => each !== kind) })
  return (
    <Section
      title="Told by mail"
      about="Postroad mails you once when a problem begins, and once when it is over."
    >
      <Form of={form} label="Told by mail" maw={520} actions="Save">
        <Stack gap="sm">
          {KINDS.filter(({ forOperators }) => !forOperators || person.operator).map(
            ({ kind, label, about }) => (
              <Checkbox
                key={kind}
                label={label}
                description={about}
                checked={alerts.includes(kind)}
                onChange={(event) => choose(kind, event.currentTarget.checked)}
              />
            ),
          )}
        </Stack>
      </Form>
    </Section>
  )
}
