/** The policy for mail from applications, which log in and send (RFC 6409). */

import { LoginExchange } from './login-exchange.ts'
import type { SubmissionMetrics } from './metrics.ts'
import type { MailPolicy } from './policy.ts'
import { SubmissionTransactions } from './submission-transactions.ts'

const HELP = 'Log in with any user name and an API key as password, then send'
const HELP_WITHOUT_LOGIN = 'Send; a login is not needed'

export function submissionPolicy(maxSize: number, metrics: SubmissionMetrics): MailPolicy {
  return {
    setting: 'POSTROAD_SUBMISSION_LISTEN',
    maxSize,
    help: ({ withoutLogin }) => (withoutLogin ? HELP_WITHOUT_LOGIN : HELP),
    begin(context, listener) {
      const logins = new LoginExchange(context, listener, metrics)
      return { transactions: new SubmissionTransactions(context, metrics), logins, idle: () => logins.idle }
    },
  }
}
