/** Deleting emails. Only in capture mode: elsewhere the record of what was sent stays until retention removes it. */
import { severalNote } from './audit-trail.ts'
import { type BatchOutcome, inBatch } from './batch.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyFilter, findCompany, noSuchEmail, requireEmail } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** Emails deleted in one commit. */
const EMAILS_PER_COMMIT = 100

/** Emails that still wait are refused: they are canceled first. */
export const deleteEmails = verb(
  'manage',
  async (op, { company, ids }: CompanyFilter & { ids: readonly string[] }): Promise<BatchOutcome> => {
    requireCapture(op)
    const companyId = company === undefined ? null : findCompany(op, company).id
    return await inBatch(ids, async (id) => {
      const email = await requireEmail(op, id)
      if (companyId !== null && email.companyId !== companyId) throw noSuchEmail(id)
      if ((await op.store.removeEmails([id])).length > 0) return
      throw new OperateError('nothing_to_do', 'the email is not sent yet: cancel it first', {
        verb: 'showEmail',
        id,
      })
    })
  },
  {
    action: 'deleteEmails',
    note: ({ ids }, result) => (result?.changed === 0 ? null : severalNote(ids)),
  },
)

export interface ClearResult {
  deleted: number
  /** Emails that are not sent yet. */
  kept: number
}

/** Deletes all emails of a company; for an operator that names none, of all companies. */
export const clearEmails = verb(
  'manage',
  async (op, of: CompanyFilter): Promise<ClearResult> => {
    requireCapture(op)
    const filter = companyFilter(op, of)
    const sum: ClearResult = { deleted: 0, kept: 0 }
    let page = await op.store.listEmails({ ...filter, limit: EMAILS_PER_COMMIT })
    for (;;) {
      const ids = page.map(({ id }) => id)
      // The place of the next page is an email, which must still be there.
      const next =
        page.length < EMAILS_PER_COMMIT
          ? []
          : await op.store.listEmails({ ...filter, before: ids.at(-1)!, limit: EMAILS_PER_COMMIT })
      const deleted = (await op.store.removeEmails(ids)).length
      sum.deleted += deleted
      sum.kept += ids.length - deleted
      if (next.length === 0) return sum
      page = next
    }
  },
  {
    action: 'clearEmails',
    note: (_, result) =>
      result?.deleted === 0
        ? null
        : { target: 'all', detail: { ...(result && { deleted: result.deleted }) } },
  },
)

function requireCapture({ setup }: Operation): void {
  if (setup.delivery.kind === 'capture') return
  throw new OperateError(
    'conflict',
    'emails are deleted only in capture mode; elsewhere they go when their time is over (POSTROAD_RETENTION_EMAILS)',
  )
}
