import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { volumeQuery } from '../../api/overview.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Pending } from '../../parts/pending.tsx'
import { useDeliveredWord } from './delivered-word.ts'
import { EMAILS_BEHIND, emailsBehind } from './emails-behind.ts'
import type { FilteredProps } from './filter.tsx'

const SHOWN = [
  { type: 'accepted', word: 'Accepted' },
  { type: 'delivered', word: null },
  { type: 'delivery_delayed', word: 'Delays' },
  { type: 'bounced', word: 'Bounced' },
  { type: 'failed', word: 'Failed' },
  { type: 'complained', word: 'Complaints' },
] as const

/** Counts without a share: `accepted` is the whole, and one recipient can be delayed several times. */
const WITHOUT_SHARE: ReadonlySet<string> = new Set(['accepted', 'delivery_delayed'])

/** The number of recipients by event. */
export function Totals({ company, span, filter }: FilteredProps) {
  const query = useQuery(volumeQuery(company, span, filter))
  const delivered = useDeliveredWord()
  const { data, error } = query
  if (error && !data) return <Pending of={query} />
  const accepted = data?.totals.accepted ?? 0
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} spacing="sm" component="dl" m={0}>
      {SHOWN.map(({ type, word: own }) => {
        const word = own ?? delivered
        const count = data?.totals[type] ?? 0
        return (
          <Paper key={type} withBorder p="sm">
            <Text component="dt" size="xs" c="dimmed">
              {word}
            </Text>
            <Skeleton visible={data === undefined} component="dd" m={0}>
              <AnchorLink
                to="/c/$company/emails"
                params={{ company }}
                search={emailsBehind({ span, filter }, type)}
                fw={650}
                fz={22}
                c="inherit"
                aria-label={`${word}: ${count.toLocaleString()}, show the emails`}
                title={EMAILS_BEHIND}
              >
                {count.toLocaleString()}
              </AnchorLink>{' '}
              {!WITHOUT_SHARE.has(type) && accepted > 0 && (
                <Text component="span" size="xs" c="dimmed">
                  {share(count / accepted)}
                </Text>
              )}
            </Skeleton>
          </Paper>
        )
      })}
    </SimpleGrid>
  )
}

function share(part: number): string {
  return part.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: part < 0.1 ? 2 : 1 })
}
