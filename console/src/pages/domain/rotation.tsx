/** The rotation of the DKIM key that waits for DNS: the record to publish, and the ways out. */
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { cancelRotation, type DomainDkimKey, finishRotation, type WholeDomain } from '../../api/domains.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { attemptUnlessHarmful } from '../../parts/confirm.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { CheckAgain } from './check-again.tsx'
import { RecordCard } from './record-card.tsx'
import type { RecordChecks } from './use-record-checks.ts'
import { useRecordForm } from './use-record-form.ts'

interface RotationProps {
  company: string
  domain: WholeDomain
  checks: RecordChecks
  waiting: readonly DomainDkimKey[]
}

const PUBLISHED =
  'The operator of this service publishes the key. Only the CNAME record below has to be in DNS, where it stays.'

export function Rotation({ company, domain, checks, waiting }: RotationProps) {
  const mayManage = useMayManage()
  const [finishing, setFinishing] = useState(false)
  const [{ since }] = waiting as [DomainDkimKey]
  const { form } = useRecordForm(company, domain)
  const signing = domain.dkim.filter(({ active }) => active).map(({ selector }) => selector)
  const isDelegated = waiting.every(({ delegated }) => delegated)
  const finish = async () => {
    setFinishing(true)
    await attemptUnlessHarmful({
      run: (force) => finishRotation(company, domain.id, force),
      title: 'Sign with a key that DNS lacks?',
      act: 'Sign with it anyway',
      cancel: 'Wait for DNS',
    })
    setFinishing(false)
  }
  return (
    <Section
      title="The next key waits for its record in DNS"
      about={`${isDelegated ? PUBLISHED : 'Publish the record below.'} Mail is signed with ${signing.join(' and ')} until DNS has ${isDelegated ? 'had it for an hour' : 'it'}, and with the next key from then on. You can leave this page: the service checks DNS and switches by itself.`}
    >
      <Stack gap="sm">
        {domain.records.map((record, index) => {
          const key = waiting.find((each) => each.record === record.name)
          return (
            key && (
              <RecordCard
                key={record.name}
                record={record}
                form={form}
                lookup={checks.lookups[index]!}
                dkimKey={key}
              />
            )
          )
        })}
      </Stack>
      <Group gap="sm">
        <CheckAgain checks={checks} />
        {mayManage && (
          <>
            <Button variant="default" size="xs" loading={finishing} onClick={() => void finish()}>
              Sign with it now
            </Button>
            <ActionButton
              size="xs"
              run={() => cancelRotation(company, domain.id)}
              done={`The rotation is cancelled. Mail is signed with ${signing.join(' and ')}.`}
            >
              Cancel rotation
            </ActionButton>
          </>
        )}
        <Group gap={6} role="status">
          {checks.pending && <Loader size={14} aria-hidden />}
          <Text size="sm" c="dimmed">
            The rotation began <Time at={since} />. DNS was last checked <Time at={checks.checkedAt} />.
          </Text>
        </Group>
      </Group>
    </Section>
  )
}
