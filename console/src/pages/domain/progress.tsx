/** Where the domain stands, and what is to be done next, in one box above its records. */
import { Alert, Button, Group, List, Loader, Text } from '@mantine/core'
import { CircleCheck, CircleSlash, Info, RotateCw, TriangleAlert } from 'lucide-react'
import type { WholeDomain } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { useMayManage } from '../../shell/company.ts'
import type { RecordChecks } from './use-record-checks.ts'

export function Progress({
  company,
  domain,
  checks,
}: {
  company: string
  domain: WholeDomain
  checks: RecordChecks
}) {
  const mayManage = useMayManage()
  const again = (
    <Button
      variant="default"
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      loading={checks.pending}
      onClick={checks.again}
    >
      Check now
    </Button>
  )
  if (domain.sending === 'suspended') {
    return (
      <Alert color="red" variant="light" icon={<CircleSlash aria-hidden />} title="Sending is suspended">
        <Text size="sm">
          An operator of this service has stopped mail from {domain.name}. What was accepted before waits; the
          operator alone can let it go on.
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
            Mail may be sent from any address at {domain.name}.{' '}
            <AnchorLink to="/c/$company/keys" params={{ company }} inherit underline="always">
              Create an API key
            </AnchorLink>{' '}
            and send.
          </Text>
          {again}
        </Group>
      </Alert>
    )
  }
  const active = domain.sending === 'active'
  return (
    <Alert
      color={active ? 'orange' : 'blue'}
      variant="light"
      icon={active ? <TriangleAlert aria-hidden /> : <Info aria-hidden />}
      title={active ? 'Mail is sent, though the records are not right' : 'Publish these records'}
    >
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>Sign in where the DNS of {domain.name} is managed, often where it was bought.</List.Item>
        <List.Item>
          Add each record below: copy its name and its value. Required ones have to be there.
        </List.Item>
        <List.Item>
          {mayManage
            ? 'Leave this page open: it checks every 15 seconds, and lets the domain send once they are right.'
            : 'This page checks every 15 seconds. A developer or owner of the company lets the domain send once they are right.'}
        </List.Item>
      </List>
      <Text size="sm" mt="xs" c="dimmed">
        New records show within minutes, changed ones may take hours.
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

function progressOf({ records }: WholeDomain, { lookups }: RecordChecks): string {
  const required = records.flatMap((record, index) => (record.required ? [lookups[index]?.check?.state] : []))
  const right = required.filter((state) => state === 'right').length
  return `${right} of ${required.length} required ${required.length === 1 ? 'record' : 'records'} found`
}
