/** The state of the domain and the next step, in one box above its records. */
import { Alert, Group, List, Loader, Text } from '@mantine/core'
import { CircleCheck, CircleSlash, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { WholeDomain } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ClockTime } from '../../parts/clock-time.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { CheckAgain } from './check-again.tsx'
import type { RecordChecks } from './use-record-checks.ts'

export function Progress({
  company,
  domain,
  checks,
  provider,
  next,
}: {
  company: string
  domain: WholeDomain
  checks: RecordChecks
  /** The DNS provider, if it is known. */
  provider: string | undefined
  /** The button that leads on once the domain is verified. */
  next?: ReactNode
}) {
  const mayManage = useMayManage()
  const again = <CheckAgain checks={checks} />
  if (domain.sending === 'suspended') {
    return (
      <Alert color="red" variant="light" icon={<CircleSlash aria-hidden />} title="Sending is suspended">
        <Text size="sm">
          An operator has stopped mail from {domain.name}. Mail that was accepted before is held until an
          operator ends the suspension.
        </Text>
      </Alert>
    )
  }
  if (domain.status === 'verified') {
    return (
      <Alert
        color="road"
        variant="light"
        icon={<CircleCheck aria-hidden />}
        title={`${domain.name} is verified`}
      >
        <Group justify="space-between">
          <Text size="sm">
            You can send mail from any address at {domain.name}.{' '}
            <AnchorLink to="/c/$company/keys" params={{ company }} inherit underline="always">
              Create an API key
            </AnchorLink>{' '}
            to start sending.
          </Text>
          <Group gap="xs">
            {again}
            {next}
          </Group>
        </Group>
      </Alert>
    )
  }
  const active = domain.sending === 'active'
  const { lostSince, sendsUntil } = domain
  return (
    <Alert
      color={active ? 'orange' : 'blue'}
      variant="light"
      icon={active ? <TriangleAlert aria-hidden /> : <Info aria-hidden />}
      title={titleOf(domain)}
    >
      {lostSince !== null && (
        <Text size="sm" mb="xs" fw={600}>
          DNS has lacked the DKIM records since <ClockTime at={lostSince} />.{' '}
          {sendsUntil === null ? (
            'Mail that was accepted before is held, and leaves once DNS has them again.'
          ) : (
            <>
              Sending ends <Time at={sendsUntil} />, unless DNS has them again.
            </>
          )}
        </Text>
      )}
      <List type="ordered" size="sm" spacing={4}>
        {provider === undefined && (
          <List.Item>
            Sign in to the DNS provider of {domain.name}, often the registrar that sold it.
          </List.Item>
        )}
        <List.Item>
          {provider === undefined
            ? 'Add each record below by copying its name and value.'
            : `Follow the steps at ${provider} below to add the records.`}{' '}
          Required records must be published.
        </List.Item>
        <List.Item>
          {mayManage
            ? 'This page checks DNS every 15 seconds, and lets the domain send once the required records are right.'
            : 'This page checks DNS every 15 seconds. The domain may send once Postroad has found the required records.'}{' '}
          {ownChecksOf(domain)}
        </List.Item>
      </List>
      {active && domain.records.some(isLackingKey(checks)) && (
        <Text size="sm" mt="xs" fw={600}>
          Receivers cannot verify mail signed with a DKIM key that DNS lacks. They may refuse it or put it
          into spam.
        </Text>
      )}
      <Text size="sm" mt="xs" c="dimmed">
        New records appear within minutes. Changed records may take hours.
      </Text>
      {checks.error && (
        <Text size="sm" mt="xs" fw={600} role="alert">
          {checks.error.message}
        </Text>
      )}
      <Group mt="sm" gap="sm">
        {again}
        <Group gap={6} role="status">
          {checks.pending && <Loader size={14} aria-hidden />}
          <Text size="sm">{progressOf(domain, checks)}</Text>
        </Group>
      </Group>
    </Alert>
  )
}

/** DNS lacks the record of a DKIM key that is in use. */
function isLackingKey({ lookups }: RecordChecks) {
  return ({ kind, required }: WholeDomain['records'][number], index: number) => {
    const state = lookups[index]?.check?.state
    return kind === 'dkim' && required && (state === 'missing' || state === 'different')
  }
}

function titleOf({ sending, lostSince }: WholeDomain): string {
  if (sending === 'active') return 'Mail is being sent, but the records are not right'
  return lostSince === null ? 'Publish these records' : 'Sending has ended, because the records are gone'
}

function ownChecksOf({ sending, lostSince }: WholeDomain): string {
  return sending === 'inactive' && lostSince === null
    ? 'You can leave it: Postroad also checks by itself for sixty days after a domain is added, every minute at first and later once a day.'
    : 'You can leave it: Postroad also checks by itself every hour.'
}

function progressOf({ records }: WholeDomain, { lookups }: RecordChecks): string {
  const required = records.flatMap((record, index) => (record.required ? [lookups[index]?.check?.state] : []))
  const right = required.filter((state) => state === 'right').length
  return `${right} of ${required.length} required ${required.length === 1 ? 'record' : 'records'} found`
}
