import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { senderZoneLines, zoneLinesOf } from '../../../../src/accounts/zone-file.ts'
import { senderQuery, type WholeDomain } from '../../api/domains.ts'
import { useMayManage } from '../../shell/company.ts'
import { Progress } from './progress.tsx'
import { ProviderSteps } from './provider-steps.tsx'
import { RecordCard } from './record-card.tsx'
import { SenderChecks } from './sender-checks.tsx'
import { type RecordChecks, useRecordChecks } from './use-record-checks.ts'
import { useRecordForm } from './use-record-form.ts'

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
  const choice = useRecordForm(company, domain)
  const { data: sender, isPending } = useQuery(senderQuery(company, domain.id))
  const senderChecks = sender?.checks ?? []
  const senderLines = senderZoneLines(senderChecks, choice.zone ?? domain.name)
  return (
    <Stack>
      <Progress
        company={company}
        domain={domain}
        checks={checks}
        provider={choice.found?.provider?.name}
        next={next}
      />
      <ProviderSteps
        domain={domain}
        choice={choice}
        zoneFile={isPending ? null : zoneFile(domain, checks, senderLines)}
      />
      {domain.records.map((record, index) => (
        <RecordCard
          key={`${record.type} ${record.name}`}
          record={record}
          form={choice.form}
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
      <SenderChecks checks={senderChecks} form={choice.form} />
    </Stack>
  )
}

/**
 * The records to publish: not that of a retired DKIM key, which may be removed. `sender`: the lines of
 * records about the sender. Null: not all are checked yet.
 */
function zoneFile(
  { records, dkim }: WholeDomain,
  { lookups }: RecordChecks,
  sender: readonly string[],
): string | null {
  const isRetired = (name: string) => dkim.some(({ record, stage }) => record === name && stage === 'retired')
  const checks = lookups.map(({ check }) => check)
  if (!checks.every((check) => check !== undefined)) return null
  return [
    ...records.flatMap((record, index) =>
      isRetired(record.name) ? [] : zoneLinesOf({ ...record, ...checks[index]! }),
    ),
    ...sender,
  ].join('\n')
}
