/** The quarantine: mail whose delivery crashed the process. */
import type { QuarantinedEmail } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyFilter, companyScope, requireEmail } from './find.ts'
import { verb } from './verb.ts'

/** Newest first. */
export const listQuarantined = verb(
  'read',
  async (op, { limit, ...of }: CompanyFilter & { limit: number }): Promise<QuarantinedEmail[]> => {
    return await op.store.quarantined({ ...companyFilter(op, of), limit })
  },
)

export interface ReleaseResult {
  /** The number of recipients that are now due. */
  released: number
  companyId: string | null
  emailId: string | null
}

/**
 * Only operators may release mail, because only they know whether the fault is fixed. If the fault remains, the mail
 * may crash a process again.
 */
export const releaseQuarantined = verb(
  'operate',
  async (op, { email, ...of }: CompanyFilter & { email?: string | undefined }): Promise<ReleaseResult> => {
    const scope = { companyId: companyScope(op, of), emailId: email ?? null }
    if (email !== undefined) await requireEmail(op, email, { verb: 'listQuarantined' })
    const released = await op.store.releaseQuarantined(scope, op.now())
    if (released > 0 || email === undefined) return { ...scope, released }
    throw new OperateError('nothing_to_do', 'no recipient of this email is in quarantine', {
      verb: 'showEmail',
      id: email,
    })
  },
  null,
)
