/** Sessions with recipients' domains by day, and the reports that their owners got. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SentTlsReport, sentTlsReportsQuery } from '../../api/domain-reports.ts'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

const STATES = {
  waiting: 'waits for the end of the day',
  sent: 'sent',
  unwanted: 'not asked for',
  failed: 'could not be sent',
} as const

export function TlsReports() {
  const query = useQuery(sentTlsReportsQuery)
  return (
    <Section
      compact
      title="Encrypted sessions"
      about="Sessions with the mail servers of recipients' domains, by UTC day. A domain that asks for it gets a report about the day (RFC 8460)."
    >
      {query.data === undefined ? (
        <Pending of={query} height={160} />
      ) : (
        <PagedList
          what="reports"
          find="Domain"
          textOf={({ domain, day }) => `${domain} ${day}`}
          rows={query.data.reports}
          empty={
            <Text size="sm" c="dimmed">
              No sessions were counted.
            </Text>
          }
          keyOf={({ domain, day }) => `${domain} ${day}`}
          columns={[
            { head: 'Domain', rowHead: true, cell: ({ domain }) => domain },
            { head: 'Day', cell: ({ day }) => day },
            { head: 'Succeeded', right: true, cell: ({ successful }) => successful },
            { head: 'Failed', right: true, cell: ({ failed }) => failed },
            {
              head: 'Failures',
              cell: ({ failures }) => <UntrustedText>{failuresOf(failures)}</UntrustedText>,
            },
            { head: 'Report', cell: (report) => <UntrustedText>{stateOf(report)}</UntrustedText> },
          ]}
        />
      )}
    </Section>
  )
}

function failuresOf(failures: SentTlsReport['failures']): string {
  return failures.map(({ result, host }) => (host === null ? result : `${result} (${host})`)).join(', ')
}

function stateOf({ state, sentTo, fault }: SentTlsReport): string {
  if (state === 'sent') return `sent to ${sentTo.join(', ')}${fault === null ? '' : `; not to ${fault}`}`
  if (fault === null) return STATES[state]
  return `${state === 'waiting' ? 'is tried again' : STATES[state]}: ${fault}`
}
