import { type Status, statusOfEmail } from '../../../src/operate/status-word.ts'
import { countOf, type EmailDetail } from '../api/email.ts'

/** The status of an email on its page, which may show its first recipients only: the same as in the list of emails. */
export function statusOfShown(email: EmailDetail): Status {
  const { lastEvent, statuses } = email
  return statusOfEmail({ lastEvent, recipients: countOf(email), states: statuses })
}
