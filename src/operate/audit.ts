/** The list of who changed what, and when. */
import type { AuditEntry } from '../people/person.ts'
import { companyScope, type OfCompany } from './find.ts'
import { verb } from './verb.ts'

export interface AuditWanted extends OfCompany {
  /** Number of an entry: only those before it. */
  before?: number | undefined
  limit: number
}

/** The newest first; for those who may change something themselves. */
export const listAudit = verb(
  'manage',
  async (op, { before, limit, ...of }: AuditWanted): Promise<AuditEntry[]> => {
    const page = { limit, ...(before !== undefined && { before }) }
    return await op.store.audit({ companyId: companyScope(op, of), ...page })
  },
  null,
)
