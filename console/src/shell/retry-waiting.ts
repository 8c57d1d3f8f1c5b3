import { type RetryAnswer, retryWaiting } from '../api/overview.ts'
import type { Confirmation } from '../parts/confirm.tsx'
import { notify } from '../parts/notify.ts'

interface RetryAction {
  ask: Confirmation
  run: () => Promise<void>
}

/** Retries the waiting mail of a company, to one recipient domain or to all. */
export function retryAction(company: string, domain: string | null): RetryAction {
  const what = domain === null ? 'all waiting mail' : `all mail waiting for ${domain}`
  return retryOf(what, () => retryWaiting(company, domain))
}

/** Asks for confirmation, because a site that has deferred mail then gets all of it at once. */
export function retryOf(what: string, retry: () => Promise<RetryAnswer>): RetryAction {
  return {
    ask: {
      title: `Retry ${what} now?`,
      about:
        'Postroad tries waiting mail now instead of at its next attempt. This counts as an attempt. Scheduled and paused mail keeps waiting, and so does mail of a domain that may not send.',
      act: 'Retry now',
      harmless: true,
    },
    run: async () => reportRetry(await retry()),
  }
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
