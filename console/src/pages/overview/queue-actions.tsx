/** Actions on waiting mail: of one company or all, to one recipient domain or all. */
import { Group } from '@mantine/core'
import { Pause, Play, RotateCw } from 'lucide-react'
import { endPause, pause, type RetryAnswer, retryWaiting } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { notify } from '../../parts/notify.ts'
import { ALL, useMayManage } from '../../shell/company.ts'

interface QueueScope {
  company: string
  domain: string | null
}

interface ActionsProps extends QueueScope {
  part: { paused: boolean; pausedAlone: boolean }
}

export function QueueActions({ company, domain, part: { paused, pausedAlone } }: ActionsProps) {
  const { person } = useMe()
  const mayManage = useMayManage()
  const scope = { company: company === ALL ? null : company, domain }
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {mayManage && !paused && <RetryButton company={company} domain={domain} />}
      {person.operator && pausedAlone && (
        <ActionButton
          size="compact-xs"
          leftSection={<Play size={12} aria-hidden />}
          run={() => endPause(scope)}
        >
          Resume
        </ActionButton>
      )}
      {person.operator && !paused && (
        <ActionButton
          size="compact-xs"
          leftSection={<Pause size={12} aria-hidden />}
          run={() => pause(scope)}
        >
          Pause
        </ActionButton>
      )}
    </Group>
  )
}

/** Asks first, since all mail that waits for a site which deferred it is tried there at once. */
export function RetryButton({ company, domain }: QueueScope) {
  const what = domain === null ? 'all waiting mail' : `all mail waiting for ${domain}`
  return (
    <ActionButton
      size={domain === null ? 'compact-sm' : 'compact-xs'}
      leftSection={<RotateCw size={12} aria-hidden />}
      ask={{
        title: `Retry ${what} now?`,
        about:
          'Postroad tries waiting mail now instead of at its next attempt. This counts as an attempt. Scheduled, paused and held mail keeps waiting.',
        act: 'Retry now',
        harmless: true,
      }}
      run={async () => reportRetry(await retryWaiting(company, domain))}
    >
      {domain === null ? 'Retry all now' : 'Retry now'}
    </ActionButton>
  )
}

function reportRetry({ retried, scheduled, paused, held, delivering }: RetryAnswer): void {
  const left = Object.entries({ scheduled, paused, held }).flatMap(([word, count]) =>
    count > 0 ? [`${count.toLocaleString()} ${word}`] : [],
  )
  const rest = left.length > 0 ? ` Not retried: ${left.join(', ')}.` : ''
  const nobody = delivering ? '' : ' No delivery node is running.'
  const recipients = retried === 1 ? 'recipient' : 'recipients'
  void notify({
    color: delivering ? 'road' : 'orange',
    message: `Retrying ${retried.toLocaleString()} ${recipients} now.${rest}${nobody}`,
  })
}
