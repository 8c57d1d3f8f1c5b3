import { Group, Select, Skeleton, TextInput } from '@mantine/core'
import { Pause as PauseIcon, Play } from 'lucide-react'
import { endPause, type InstallationJson, type PauseTarget, pause } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { capitalized } from '../../parts/capitalized.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { chosenPause, ENDLESS, mailInWords, PauseFacts, PauseFields } from '../../shell/pause-fields.tsx'

type PauseItem = InstallationJson['pauses'][number]

/** Mail that an operator has paused. */
export function Pauses({ pauses }: { pauses: PauseItem[] | undefined }) {
  if (pauses === undefined) return <Skeleton h={160} />
  return (
    <Section
      compact
      title="Pauses"
      about="Paused mail waits without using up attempts. A change reaches every node within a second."
    >
      <ListTable
        rows={pauses}
        keyOf={({ company, domain, site }) => `${company?.id} ${domain} ${site}`}
        columns={[
          { head: 'Mail', headHidden: true, cell: scopeText },
          {
            head: 'Since',
            headHidden: true,
            cell: (pause) => <PauseFacts pause={pause} />,
          },
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (pause) => (
              <ActionButton
                size="xs"
                aria-label={`Resume ${mailOf(pause)}`}
                leftSection={<Play size={14} aria-hidden />}
                run={() => endPause(scopeOf(pause))}
              >
                Resume
              </ActionButton>
            ),
          },
        ]}
      />
      <NewPause />
    </Section>
  )
}

function mailOf({ company, domain, site }: PauseItem): string {
  return mailInWords(company?.name ?? null, site === null ? domain : `the site ${visible(site)}`)
}

function scopeOf({ company, domain, site }: PauseItem): PauseTarget {
  return { company: company?.id ?? null, domain, ...(site !== null && { site }) }
}

function scopeText(pause: PauseItem): string {
  return capitalized(mailOf(pause))
}

function NewPause() {
  const { companies } = useMe()
  const form = useForm({
    initial: { company: '', domain: '', ...ENDLESS },
    submit: ({ company, domain, ...choice }) =>
      pause({ company: company || null, domain: domain.trim() || null, ...chosenPause(choice) }),
    onDone() {
      form.clear()
    },
  })
  return (
    <Form of={form} gap="xs">
      <Group align="flex-start" gap="sm">
        <Select
          label="Company"
          data={[
            { value: '', label: 'All companies' },
            ...companies.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          allowDeselect={false}
          {...form.field('company')}
        />
        <TextInput label="Recipient domain" placeholder="All domains" {...form.field('domain')} />
        <PauseFields field={form.field} />
      </Group>
      <Group>
        <SubmitButton variant="default" leftSection={<PauseIcon size={16} aria-hidden />}>
          Pause
        </SubmitButton>
      </Group>
    </Form>
  )
}
