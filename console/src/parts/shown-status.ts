import type { CountedState } from '../../../src/email/recipient.ts'
import { type Status, statusOfEmail, statusOfRecipient } from '../../../src/operate/status-word.ts'
import type { EmailDetail } from '../api/email.ts'

/** The status of an email of which the first recipients are shown. */
export function statusOfShown({ lastEvent, states, recipients, mostAttempts }: EmailDetail): Status {
  const counts = (Object.keys(states) as CountedState[]).map((state) => ({
    state,
    count: states[state] ?? 0,
  }))
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const [only] = recipients
  // Of a single recipient more is known than its state.
  if (total === 1 && only?.state === 'waiting') return statusOfRecipient(only, mostAttempts)
  return statusOfEmail({ lastEvent, recipients: total, states: counts })
}
