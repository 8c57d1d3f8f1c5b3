import { Text } from '@mantine/core'
import type { CompanySettings } from '../../api/company.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'

/** In the order of the table. `used`: absent where nothing is counted over time. */
const ROWS = [
  { what: 'Recipients today (UTC)', name: 'daily' },
  { what: 'Recipients this month (UTC)', name: 'monthly' },
  { what: 'Domains', name: 'domains' },
  { what: 'API keys', name: 'keys' },
  { what: 'Webhooks', name: 'webhooks' },
] as const

const shown = (number: number | null) => number?.toLocaleString() ?? 'No limit'

/** The limits that the operator has set, and their use. */
export function Limits({ of: { limits, used } }: { of: CompanySettings }) {
  return (
    <Section title="Limits" about="The operator of the installation sets them." mt="xl">
      <ListTable
        label="Limits of the company"
        rows={ROWS}
        keyOf={({ name }) => name}
        spacing="xs"
        columns={[
          { head: 'What', cell: ({ what }) => what, rowHead: true },
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
          ? 'Requests a second are not limited.'
          : `All API keys together may make ${limits.rate.toLocaleString()} requests a second.`}
      </Text>
    </Section>
  )
}
