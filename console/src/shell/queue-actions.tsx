/** Actions on waiting mail: of one company or all, to one recipient domain or all. */
import { Group } from '@mantine/core'
import { Play, RotateCw } from 'lucide-react'
import { endPause, retryWaiting } from '../api/overview.ts'
import type { WaitingSiteItem } from '../api/queue.ts'
import { useMe } from '../api/session.ts'
import { retrySite } from '../api/sites.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { visible } from '../parts/untrusted-text.tsx'
import { ALL, useMayManage } from './company.ts'
import { PauseButton } from './pause-button.tsx'
import { mailInWords, useMailInWords } from './pause-fields.tsx'
import { retryAction } from './retry-waiting.ts'

type CoveringPause = NonNullable<WaitingSiteItem['pause']>

interface QueueScope {
  company: string
  domain: string | null
}

interface QueueActionsProps extends QueueScope {
  part: {
    /** Recipients; null: their number is not known. */
    waiting: number | null
    paused: boolean
    pausedAlone: boolean
    retriable: boolean
    /** The pause that covers it; its scope may be wider. */
    pause?: Pick<CoveringPause, 'scope'> | null
  }
}

export function QueueActions({
  company,
  domain,
  part: { waiting, paused, pausedAlone, retriable, pause },
}: QueueActionsProps) {
  const { person } = useMe()
  const mayManage = useMayManage()
  const mail = useMailInWords(company, domain)
  const scope = { company: company === ALL ? null : company, domain }
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {mayManage && retriable && <RetryButton company={company} domain={domain} waiting={waiting} />}
      {person.operator && (pausedAlone || !paused) && (
        <PauseButton scope={scope} mail={mail} paused={pausedAlone} />
      )}
      {person.operator && !pausedAlone && pause && <ResumeWider of={pause.scope} />}
    </Group>
  )
}

/** Ends a pause of more mail than the row has. */
function ResumeWider({ of: { company, domain, site } }: { of: CoveringPause['scope'] }) {
  const { companies } = useMe()
  const name = companies.find(({ id }) => id === company)?.name ?? company
  const mail = mailInWords(name, site === null ? domain : `the site ${visible(site)}`)
  return (
    <ActionButton
      size="compact-xs"
      aria-label={`Resume ${mail}`}
      leftSection={<Play size={12} aria-hidden />}
      ask={{
        title: `Resume ${mail}?`,
        about: `The pause is for ${mail}${company === null ? ' of all companies' : ''}. All of it is sent again.`,
        act: 'Resume',
        harmless: true,
      }}
      run={() => endPause({ company, domain, ...(site !== null && { site }) })}
    >
      Resume
    </ActionButton>
  )
}

export function RetryButton({ company, domain, waiting }: QueueScope & { waiting: number | null }) {
  const mail = useMailInWords(company, domain)
  const label = domain === null ? 'Retry all now' : 'Retry now'
  return (
    <ActionButton
      size={domain === null ? 'compact-sm' : 'compact-xs'}
      aria-label={`${label}: ${mail}`}
      leftSection={<RotateCw size={12} aria-hidden />}
      {...retryAction(mail, waiting, () => retryWaiting(company, domain))}
    >
      {label}
    </ActionButton>
  )
}

/** For operators: on waiting mail of all companies to the servers of a site. */
export function SiteQueueActions({
  site,
  part: { waiting, paused, pausedAlone, retriable },
}: SiteActionsProps) {
  const mail = `all mail to ${visible(site)}`
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {retriable && !pausedAlone && (
        <ActionButton
          size="compact-xs"
          aria-label={`Retry now: ${mail}`}
          leftSection={<RotateCw size={12} aria-hidden />}
          {...retryAction(mail, waiting, () => retrySite(site))}
        >
          Retry now
        </ActionButton>
      )}
      {(pausedAlone || !paused) && (
        <PauseButton scope={{ company: null, domain: null, site }} mail={mail} paused={pausedAlone} />
      )}
    </Group>
  )
}

interface SiteActionsProps extends Pick<QueueActionsProps, 'part'> {
  site: string
}
