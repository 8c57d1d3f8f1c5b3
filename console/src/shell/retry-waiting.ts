import type { RetryAnswer } from '../api/overview.ts'
import type { Confirmation } from '../parts/confirm.tsx'
import { notify } from '../parts/notify.ts'

interface RetryAction {
  ask: Confirmation
  run: () => Promise<void>
}

/**
 * Asks for confirmation, because a site that has deferred mail then gets all of it at once. `mail`: in words; `waiting`:
 * its recipients; null: their number is not known.
 */
export function retryAction(
  mail: string,
  waiting: number | null,
  retry: () => Promise<RetryAnswer>,
): RetryAction {
  const count = waiting === null ? '' : `${recipients(waiting)} ${waiting === 1 ? 'is' : 'are'} waiting. `
  return {
    ask: {
      title: `Retry ${mail} now?`,
      about: `${count}Postroad tries waiting mail now instead of at its next attempt. If a server defers the message again, that counts as an attempt. Mail that waits because its server takes no mail at all uses up none. Scheduled and paused mail keeps waiting, and so does mail of a domain that may not send.`,
      act: 'Retry now',
      harmless: true,
    },
    run: async () => reportRetry(await retry()),
  }
}

function recipients(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'recipient' : 'recipients'}`
}

function reportRetry({ retried, scheduled, paused, held, delivering }: RetryAnswer): void {
  const left = Object.entries({ scheduled, paused, held }).flatMap(([word, count]) =>
    count > 0 ? [`${count.toLocaleString()} ${word}`] : [],
  )
  const rest = left.length > 0 ? ` Not retried: ${left.join(', ')}.` : ''
  const nobody = delivering ? '' : ' No delivery node is running.'
  void notify({
    color: delivering ? 'road' : 'orange',
    message: `Retrying ${recipients(retried)} now.${rest}${nobody}`,
  })
}
