import type { EmailHistory, EmailSummary } from '../email/stored-email.ts'
import { OperateError } from './error.ts'
import { companyFilter, noSuchEmail, type OfCompany, requireEmail } from './find.ts'
import { type Operation, verb } from './verb.ts'

export interface EmailListing extends OfCompany {
  /** Id of an email: only those accepted before it. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export const listEmails = verb(
  'read',
  async (op, { before, limit, ...of }: EmailListing): Promise<EmailSummary[]> => {
    const page = { limit, ...(before !== undefined && { before }) }
    return await op.store.listEmails({ ...companyFilter(op, of), ...page })
  },
)

/** Each recipient, every event, every SMTP dialogue. */
export const showEmail = verb('read', (op, { id }: { id: string }) => historyOf(op, id))

/** Throws `not_found`, also when the caller may not know of it. */
export async function historyOf(op: Operation, id: string): Promise<EmailHistory> {
  await requireEmail(op, id)
  const history = await op.store.readHistory(id)
  // Retention may have been faster.
  if (history === null) throw noSuchEmail(id)
  return history
}

export interface CanceledEmail {
  /** Recipients that were waiting or in quarantine. */
  canceled: number
  /** Recipients being sent: they end as canceled unless their server takes the message now. */
  sending: number
}

export const cancelEmail = verb('manage', async (op, { id }: { id: string }): Promise<CanceledEmail> => {
  await requireEmail(op, id)
  const result = await op.store.cancel(id, op.now())
  if (result.canceled > 0 || result.sending > 0) return result
  throw new OperateError('nothing_to_do', 'nothing to cancel: every recipient is done', {
    verb: 'showEmail',
    id,
  })
})
