/** Actions on one recipient of an email. */
import type { Suppression } from '../email/suppression.ts'
import { OperateError } from './error.ts'
import { requireEmail } from './find.ts'
import { addSuppression } from './suppressions.ts'
import { verb } from './verb.ts'

/** Suppresses the recipient's address. Recorded in the audit list as `addSuppression`. */
export const suppressRecipient = verb(
  'manage',
  async (
    op,
    { id, position, reason }: { id: string; position: number; reason?: string | undefined },
  ): Promise<Suppression> => {
    const { companyId: company } = await requireEmail(op, id)
    const [recipient] = await op.store.readRecipients(id, { from: position, limit: 1 })
    if (recipient === undefined) throw new OperateError('not_found', 'the email has no such recipient')
    return await addSuppression(op, { company, address: recipient.address, type: 'manual', reason })
  },
  null,
)
