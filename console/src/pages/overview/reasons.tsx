/** Why mail was refused or is late: a bar for each category, divided by the providers whose servers said so. */
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CATEGORY_WORDS } from '../../../../src/email/category-word.ts'
import { type OverviewSpan, type ReasonCounts, reasonsQuery } from '../../api/overview.ts'
import { Pending } from '../../parts/pending.tsx'
import classes from './overview.module.css'
import { SummedTable } from './summed-table.tsx'

const OTHERS = 'other servers'

interface CategoryRow {
  category: keyof typeof CATEGORY_WORDS
  failures: number
  delays: number
  /** Those with the most failures and delays come first. */
  providers: { name: string; n: number }[]
}

export function Reasons({ company, span }: { company: string; span: OverviewSpan }) {
  const query = useQuery(reasonsQuery(company, span))
  if (query.data === undefined) return <Pending of={query} height={220} />
  const { reasons } = query.data
  const rows = reasons && rowsOf(reasons)
  const most = Math.max(1, ...(rows ?? []).map(({ failures, delays }) => failures + delays))
  const lines = () =>
    (reasons ?? []).map(({ category, provider, failures, delays }) => [
      category,
      provider || OTHERS,
      String(failures),
      String(delays),
    ])
  return (
    <SummedTable
      title="Why mail fails"
      about="The reasons of refusals and delays, and the providers that gave them"
      csv={() => [['reason', 'provider', 'failed', 'delays'], ...lines()]}
      rows={rows}
      keyOf={({ category }) => category}
      empty="No refusals and no delays."
      columns={[
        { head: 'Reason', width: '60%', cell: (row) => <Reason row={row} most={most} /> },
        { head: 'Failures', right: true, cell: ({ failures }) => failures.toLocaleString() },
        { head: 'Delays', right: true, cell: ({ delays }) => delays.toLocaleString() },
      ]}
    />
  )
}

function Reason({ row: { category, failures, providers }, most }: { row: CategoryRow; most: number }) {
  const { word, about } = CATEGORY_WORDS[category]
  return (
    <>
      <Text size="sm" component="span" title={about}>
        {word}
      </Text>
      <Group gap={2} wrap="nowrap" aria-hidden>
        {providers.map(({ name, n }) => (
          <div
            key={name}
            className={`${classes.bar} ${failures > 0 ? classes.failed : classes.delayed}`}
            style={{ width: `${(n / most) * 100}%` }}
          />
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {providers.map(({ name, n }) => `${name} ${n.toLocaleString()}`).join(', ')}
      </Text>
    </>
  )
}

function rowsOf(reasons: ReasonCounts): CategoryRow[] {
  return [...new Set(reasons.map(({ category }) => category))]
    .map((category) => {
      const those = reasons.filter((each) => each.category === category)
      return {
        category,
        failures: those.reduce((sum, { failures }) => sum + failures, 0),
        delays: those.reduce((sum, { delays }) => sum + delays, 0),
        providers: those
          .map(({ provider, failures, delays }) => ({ name: provider || OTHERS, n: failures + delays }))
          .sort((a, b) => b.n - a.n),
      }
    })
    .sort((a, b) => b.failures - a.failures || b.delays - a.delays)
}
