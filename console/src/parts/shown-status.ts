import { type Status, statusOfEmail } from '../../../src/operate/status-word.ts'
import { countOf, type EmailDetail } from '../api/email.ts'

/** The status of an email of which the first recipients are shown: the same as in its row of the list. */
export function statusOfShown(email: EmailDetail): Status {
  const { lastEvent, statuses } = email
  return statusOfEmail({ lastEvent, recipients: countOf(email), states: statuses })
}
