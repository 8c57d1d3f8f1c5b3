import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { WholeDomain } from '../../api/domains.ts'
import { CopyText } from '../../parts/copy.tsx'
import { useMayManage } from '../../shell/company.ts'
import { Progress } from './progress.tsx'
import { RecordCard } from './record-card.tsx'
import { zonesOf } from './record-names.ts'
import { SenderChecks } from './sender-checks.tsx'
import { useRecordChecks } from './use-record-checks.ts'

const IN_FULL = ''

/** `next`: the button that leads on once the domain is verified. */
export function Records({
  company,
  domain,
  next,
}: {
  company: string
  domain: WholeDomain
  next?: ReactNode
}) {
  const checks = useRecordChecks(company, domain, useMayManage())
  const [zone, setZone] = useState(IN_FULL)
  return (
    <Stack>
      <Progress company={company} domain={domain} checks={checks} next={next} />
      <Group justify="space-between" align="flex-end">
        <NativeSelect
          label="Record names"
          description="Most providers append the domain to each name."
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value)}
          data={[
            { value: IN_FULL, label: 'In full' },
            ...zonesOf(domain.name).map((each) => ({ value: each, label: `Without ${each}` })),
          ]}
        />
        <CopyText value={zoneFile(domain)} label="Copy as zone file" />
      </Group>
      {domain.records.map((record, index) => (
        <RecordCard
          key={`${record.type} ${record.name}`}
          record={record}
          zone={zone === IN_FULL ? null : zone}
          lookup={checks.lookups[index]!}
          dkimKey={domain.dkim.find((key) => key.record === record.name)}
        />
      ))}
      {!domain.hostname.includes('.') && (
        <Text size="sm" c="dimmed">
          Postroad sends as “{domain.hostname}”, which is not a public name. The SPF record has no effect
          until the operator sets POSTROAD_HOSTNAME.
        </Text>
      )}
      <SenderChecks company={company} domain={domain.id} />
    </Stack>
  )
}

/** The records to publish: not that of a retired DKIM key, which may be removed. */
function zoneFile({ records, dkim }: WholeDomain): string {
  const isRetired = (name: string) => dkim.some(({ record, stage }) => record === name && stage === 'retired')
  return records
    .filter(({ name }) => !isRetired(name))
    .map(({ zone }) => zone)
    .join('\n')
}
