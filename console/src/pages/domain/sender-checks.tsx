import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { senderQuery } from '../../api/domains.ts'
import { RecordCard } from './record-card.tsx'
import { FULL_FORM } from './record-names.ts'

/** The records that receivers look up about the sender, which are not the domain's own. Empty: there are none. */
export function SenderChecks({ company, domain }: { company: string; domain: string }) {
  const { data } = useQuery(senderQuery(company, domain))
  if (data === undefined || data.checks.length === 0) return null
  return (
    <Stack component="section" aria-label="The sender, as receivers see it">
      <Text size="sm" c="dimmed">
        Receivers also look up the servers that this mail comes from, and the logo of the domain.
      </Text>
      {data.checks.map(({ state, found, advice, ...record }) => (
        <RecordCard
          key={`${record.type} ${record.name} ${record.value}`}
          record={{ ...record, preference: null, required: false }}
          form={FULL_FORM}
          lookup={{
            check: { state, found, advice, explanation: null, suggestion: null },
            looking: false,
            error: null,
          }}
        />
      ))}
    </Stack>
  )
}
