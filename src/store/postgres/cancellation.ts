import { isEmailId } from '../../email/email-id.ts'
import type { QueueStore } from '../store.ts'
import { happen } from './apply.ts'
import { COMPANY_OF, HOLD_EMAIL, type RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/**
 * Ends waiting recipients at the operator's request; recipients being sent end after their attempt, unless the attempt
 * ends them.
 */
export function cancellation({ database, changes }: StoreParts): Pick<QueueStore, 'cancel'> {
  return {
    async cancel(emailId, at) {
      if (!isEmailId(emailId)) return { canceled: 0, sending: 0 }
      const [known] = await database.look<{ company: number }>(COMPANY_OF, [emailId])
      if (known === undefined) return { canceled: 0, sending: 0 }
      const all = await database.change(known.company, async (session) => {
        return await happen(
          session,
          await session.run<RecipientKey>(HOLD_EMAIL, [emailId]),
          () => ({ kind: 'cancel', at }),
          at,
        )
      })
      const canceled = all.filter(({ decision }) => decision.change?.state === 'canceled').length
      const sending = all.length - canceled
      if (canceled > 0) changes.queueChanged()
      if (sending > 0) changes.stopsChanged()
      return { canceled, sending }
    },
  }
}
