/** One recipient of an email. */
import type { Suppression } from '../email/suppression.ts'
import { historyOf } from './emails.ts'
import { OperateError } from './error.ts'
import { addSuppression } from './suppressions.ts'
import { verb } from './verb.ts'

/** Nothing more is sent to its address. It is noted as what it comes to: an address put on the list by hand. */
export const suppressRecipient = verb(
  'manage',
  async (
    op,
    { id, position, reason }: { id: string; position: number; reason?: string | undefined },
  ): Promise<Suppression> => {
    const { email, recipients } = await historyOf(op, id)
    const recipient = recipients.find((each) => each.position === position)
    if (recipient === undefined) throw new OperateError('not_found', 'there is no such recipient')
    const { address } = recipient
    return await addSuppression(op, { company: email.companyId, address, type: 'manual', reason })
  },
  null,
)
