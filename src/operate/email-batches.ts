/** Actions on several emails. A refusal of one email does not end the action on the others. */
import { addressesAudit } from './audit-trail.ts'
import { type AddressesOutcome, type BatchOutcome, inBatch } from './batch.ts'
import { cancelEmail } from './emails.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, findCompany, noSuchEmail, requireEmail } from './find.ts'
import { noRetryReason, retry } from './queue.ts'
import { addSuppressions, ENTRIES_PER_COMMIT } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

export interface EmailBatch extends CompanyFilter {
  ids: readonly string[]
}

/** Makes waiting mail of these emails due now. */
export const retryEmails = verb(
  'manage',
  (op, batch: EmailBatch): Promise<BatchOutcome> =>
    eachEmail(op, batch, async (id) => {
      const retried = await retry(op, { email: id, isOneOfMany: batch.ids.length > 1 })
      if (retried.retried === 0) throw new OperateError('nothing_to_do', noRetryReason(retried))
    }),
  null,
)

/** Cancels what is not sent yet of these emails. */
export const cancelEmails = verb(
  'manage',
  (op, batch: EmailBatch): Promise<BatchOutcome> => eachEmail(op, batch, (id) => cancelEmail(op, { id })),
  null,
)

/** Suppresses all recipients of these emails. An email whose recipients are all on the list already is refused. */
export const suppressRecipientsOfEmails = verb(
  'manage',
  async (op, batch: EmailBatch): Promise<AddressesOutcome> => {
    const addresses: string[] = []
    const result = await eachEmail(op, batch, async (id, company) => {
      const before = addresses.length
      for (let from = 0; ; from += ENTRIES_PER_COMMIT) {
        const recipients = await op.store.readRecipients(id, { from, limit: ENTRIES_PER_COMMIT })
        const entries = recipients.map(({ address }) => ({ address, type: 'manual' as const }))
        const results = await addSuppressions(op, { company, entries })
        for (const { added, suppression } of results) if (added) addresses.push(suppression.address)
        if (recipients.length < ENTRIES_PER_COMMIT) break
      }
      if (addresses.length > before) return
      throw new OperateError('nothing_to_do', 'all its recipients are on the suppression list already')
    })
    return { ...result, addresses }
  },
  addressesAudit('suppressRecipientsOfEmails', ({ ids }: EmailBatch) => ids.length),
)

/** One after the other, so that other callers take their turns between two emails. */
async function eachEmail(
  op: Operation,
  { company, ids }: EmailBatch,
  act: (id: string, companyId: string) => Promise<unknown>,
): Promise<BatchOutcome> {
  const companyId = company === undefined ? null : findCompany(op, company).id
  return await inBatch(ids, async (id) => {
    const email = await requireEmail(op, id)
    if (companyId !== null && email.companyId !== companyId) throw noSuchEmail(id)
    await act(id, email.companyId)
  })
}
