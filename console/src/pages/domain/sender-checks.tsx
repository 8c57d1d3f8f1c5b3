import { Stack, Text } from '@mantine/core'
import type { SenderRecord } from '../../api/domains.ts'
import { RecordCard } from './record-card.tsx'
import { FULL_FORM, type RecordForm } from './record-names.ts'

/** The records that receivers look up about the sender, which are not the domain's own. Empty: there are none. */
export function SenderChecks({
  checks,
  form,
}: {
  checks: readonly SenderRecord[]
  /** The provider's form of the domain's records; null: not known yet. */
  form: RecordForm | null
}) {
  if (checks.length === 0) return null
  return (
    <Stack component="section" aria-label="The sender, as receivers see it">
      <Text size="sm" c="dimmed">
        Receivers also look up the servers that this mail comes from, and the logo of the domain.
      </Text>
      {checks.map(({ state, found, advice, ...record }) => (
        <RecordCard
          key={`${record.type} ${record.name} ${record.value}`}
          record={{ ...record, preference: null, required: false }}
          // The provider of the address sets its PTR record, and not the DNS provider of the domain.
          form={record.type === 'PTR' ? FULL_FORM : form}
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
