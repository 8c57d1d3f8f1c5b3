/** Actions on waiting mail: of one company or all, to one recipient domain or all. */
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Pause, Play, RotateCw } from 'lucide-react'
import { endPause, pause, type RetryAnswer, retryWaiting } from '../../api/overview.ts'
import { queries } from '../../api/queries.ts'
import { useMe } from '../../api/session.ts'
import { ask, attempt } from '../../parts/confirm.tsx'
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
  const change = async (run: () => Promise<unknown>) => {
    await run()
    await Promise.all(
      ['overview', 'installation'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
    )
  }
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {mayManage && !paused && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<RotateCw size={12} aria-hidden />}
          onClick={() => askRetry(company, domain)}
        >
          Retry now
        </Button>
      )}
      {person.operator && pausedAlone && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<Play size={12} aria-hidden />}
          onClick={() => void attempt(() => change(() => endPause(scope)))}
        >
          Resume
        </Button>
      )}
      {person.operator && !paused && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<Pause size={12} aria-hidden />}
          onClick={() => void attempt(() => change(() => pause(scope)))}
        >
          Pause
        </Button>
      )}
    </Group>
  )
}

/** Asks first, since all mail that waits for a site which deferred it is tried there at once. */
export function askRetry(company: string, domain: string | null): void {
  const what = domain === null ? 'all waiting mail' : `all mail waiting for ${domain}`
  void ask(
    {
      title: `Retry ${what} now?`,
      about:
        'Postroad tries waiting mail now instead of at its next attempt. This counts as an attempt. Scheduled, paused and held mail keeps waiting.',
      act: 'Retry now',
      harmless: true,
    },
    () => void attempt(async () => reportRetry(await retryWaiting(company, domain))),
  )
}

function reportRetry({ retried, scheduled, paused, held, delivering }: RetryAnswer): void {
  const left = Object.entries({ scheduled, paused, held }).flatMap(([word, count]) =>
    count > 0 ? [`${count.toLocaleString()} ${word}`] : [],
  )
  const rest = left.length > 0 ? ` Not retried: ${left.join(', ')}.` : ''
  const nobody = delivering ? '' : ' No delivery node is running.'
  const recipients = retried === 1 ? 'recipient' : 'recipients'
  notifications.show({
    color: delivering ? 'road' : 'orange',
    message: `Retrying ${retried.toLocaleString()} ${recipients} now.${rest}${nobody}`,
  })
  void queries.invalidateQueries({ queryKey: ['overview'] })
}
