import { Button, NumberInput, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { type CompanySettings, setLimits } from '../../api/company.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'

/** In the order of the table. A quota counts from the time it is set; of things, there is always a limit. */
const ROWS = [
  { what: 'Recipients today (UTC)', name: 'daily', label: 'Recipients a day (UTC)', empty: 'No limit' },
  {
    what: 'Recipients this month (UTC)',
    name: 'monthly',
    label: 'Recipients a month (UTC)',
    empty: 'No limit',
  },
  { what: 'Domains', name: 'domains', label: 'Domains', empty: 'The usual limit' },
  { what: 'API keys', name: 'keys', label: 'API keys', empty: 'The usual limit' },
  { what: 'Webhooks', name: 'webhooks', label: 'Webhooks', empty: 'The usual limit' },
] as const

const FIELDS = [...ROWS, { name: 'rate', label: 'Requests a second', empty: 'No limit' }] as const
type LimitName = (typeof FIELDS)[number]['name']
/** Empty: no limit. */
type Entered = Record<LimitName, number | string>

const HIGHEST = 1_000_000_000

const shown = (number: number | null) => number?.toLocaleString() ?? 'No limit'

/** The limits that the operator has set, and their use. */
export function Limits({ of: { id, limits, used }, mayChange }: { of: CompanySettings; mayChange: boolean }) {
  const [opened, setOpened] = useState(false)
  const initial = Object.fromEntries(FIELDS.map(({ name }) => [name, limits[name] ?? ''])) as Entered
  return (
    <Section
      title="Limits"
      {...(!mayChange && { about: 'Set by the operator of the installation.' })}
      mt="md"
      action={
        mayChange && (
          <Button variant="default" size="xs" onClick={() => setOpened(true)}>
            Change limits...
          </Button>
        )
      }
    >
      <ListTable
        label="Limits of the company"
        rows={ROWS}
        keyOf={({ name }) => name}
        spacing="xs"
        columns={[
          { head: 'Resource', cell: ({ what }) => what, rowHead: true },
          {
            head: 'Used',
            right: true,
            // A quota counts from the time it is set.
            cell: ({ name }) => (limits[name] === null ? 'Not counted' : used[name].toLocaleString()),
          },
          { head: 'Limit', right: true, cell: ({ name }) => shown(limits[name]) },
        ]}
      />
      <Text size="sm">
        {limits.rate === null
          ? 'There is no limit on requests per second.'
          : `All API keys together may make ${limits.rate.toLocaleString()} requests a second.`}
      </Text>
      <FormDialog
        title="Limits of the company"
        size="lg"
        opened={opened}
        close={() => setOpened(false)}
        initial={initial}
        submit={(entered) => setLimits(id, changed(entered, initial))}
        submitLabel="Save"
      >
        {({ field }) => (
          <>
            <Text size="sm">Mail beyond a limit is refused with an error that names the limit.</Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {FIELDS.map(({ name, label, empty }) => (
                <NumberInput
                  key={name}
                  label={label}
                  placeholder={empty}
                  min={1}
                  max={HIGHEST}
                  allowDecimal={false}
                  allowNegative={false}
                  thousandSeparator=","
                  data-autofocus={name === 'daily' || undefined}
                  {...field(name)}
                />
              ))}
            </SimpleGrid>
          </>
        )}
      </FormDialog>
    </Section>
  )
}

/** Others keep what they are, even if it was the usual limit. */
function changed(entered: Entered, before: Entered): Partial<Record<LimitName, number | null>> {
  const names = (Object.keys(entered) as LimitName[]).filter((name) => entered[name] !== before[name])
  return Object.fromEntries(names.map((name) => [name, entered[name] === '' ? null : Number(entered[name])]))
}
