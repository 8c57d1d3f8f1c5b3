import { Select, TextInput } from '@mantine/core'
import { Hourglass } from 'lucide-react'
import type { PauseTarget } from '../api/overview.ts'
import { useMe } from '../api/session.ts'
import type { FormState } from '../parts/form.tsx'
import { Time } from '../parts/time.tsx'
import { UntrustedText, visible } from '../parts/untrusted-text.tsx'

const MINUTE = 60_000
const LENGTHS = [
  { value: '', label: 'Until an operator ends it' },
  { value: String(15 * MINUTE), label: 'For 15 minutes' },
  { value: String(60 * MINUTE), label: 'For 1 hour' },
  { value: String(4 * 60 * MINUTE), label: 'For 4 hours' },
  { value: String(24 * 60 * MINUTE), label: 'For 1 day' },
  { value: String(7 * 24 * 60 * MINUTE), label: 'For 1 week' },
]

export interface PauseChoice {
  /** Ms, or '': until an operator ends it. */
  lasts: string
  reason: string
}

export const ENDLESS: PauseChoice = { lasts: '', reason: '' }

export function chosenPause({ lasts, reason }: PauseChoice): Pick<PauseTarget, 'lasts' | 'reason'> {
  const why = reason.trim()
  return { ...(lasts !== '' && { lasts: Number(lasts) }), ...(why !== '' && { reason: why }) }
}

/** "all mail", "mail of Acme to example.com". `company`: its name; null: all companies. */
export function mailInWords(company: string | null, domain: string | null): string {
  const whose = company === null ? 'all mail' : `mail of ${visible(company)}`
  return domain === null ? whose : `${whose} to ${domain}`
}

/** `company`: its id, or `all`. */
export function useMailInWords(company: string, domain: string | null): string {
  const { companies } = useMe()
  return mailInWords(companies.find(({ id }) => id === company)?.name ?? null, domain)
}

/** How long mail is paused, and why. */
export function PauseFields({ field }: Pick<FormState<PauseChoice, unknown>, 'field'>) {
  return (
    <>
      <Select
        label="How long"
        leftSection={<Hourglass size={14} aria-hidden />}
        data={LENGTHS}
        allowDeselect={false}
        data-autofocus
        {...field('lasts')}
      />
      <TextInput
        label="Reason"
        placeholder="Everyone concerned sees it"
        miw={240}
        maxLength={200}
        {...field('reason')}
      />
    </>
  )
}

/** "since 12:00, ends in 3 h: their support works on it". */
export function PauseFacts({
  pause: { since, until, reason },
}: {
  pause: { since: string; until: string | null; reason: string | null }
}) {
  return (
    <>
      since <Time at={since} />
      {until !== null && (
        <>
          , ends <Time at={until} />
        </>
      )}
      {reason !== null && (
        <>
          : <UntrustedText>{reason}</UntrustedText>
        </>
      )}
    </>
  )
}
