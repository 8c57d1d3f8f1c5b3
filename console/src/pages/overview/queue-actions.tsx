/** Actions on waiting mail: of one company or all, to one recipient domain or all. */
import { Group } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ALL, useMayManage } from '../../shell/company.ts'
import { PauseButton } from '../../shell/pause-button.tsx'
import { mailInWords } from '../../shell/pause-fields.tsx'
import { retryAction } from '../../shell/retry-waiting.ts'

interface QueueScope {
  company: string
  domain: string | null
}

interface ActionsProps extends QueueScope {
  part: { paused: boolean; pausedAlone: boolean }
}

export function QueueActions({ company, domain, part: { paused, pausedAlone } }: ActionsProps) {
  const { person, companies } = useMe()
  const mayManage = useMayManage()
  const name = companies.find(({ id }) => id === company)?.name ?? null
  const scope = { company: company === ALL ? null : company, domain }
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {mayManage && !paused && <RetryButton company={company} domain={domain} />}
      {person.operator && (pausedAlone || !paused) && (
        <PauseButton scope={scope} mail={mailInWords(name, domain)} paused={pausedAlone} />
      )}
    </Group>
  )
}

export function RetryButton({ company, domain }: QueueScope) {
  return (
    <ActionButton
      size={domain === null ? 'compact-sm' : 'compact-xs'}
      leftSection={<RotateCw size={12} aria-hidden />}
      {...retryAction(company, domain)}
    >
      {domain === null ? 'Retry all now' : 'Retry now'}
    </ActionButton>
  )
}
