/** The audit list: who changed what and when, and who signed in and out. */
import type { AuditEntry, AuditTopic } from '../people/person.ts'
import type { AuditFilter } from '../store/store.ts'
import { authorise } from './authority.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** Entries read in one step of an export. */
const STEP = 500

export interface AuditRequest extends CompanyFilter, Omit<AuditFilter, 'companyId'> {}

/** Newest first. Only callers who may make changes themselves may read it. */
export const listAudit = verb('manage', page, null)

/** All matching entries, page by page, newest first. */
export const exportAudit = verb(
  'manage',
  async (op, wanted: Omit<AuditRequest, 'limit' | 'before'>): Promise<AsyncIterable<AuditEntry[]>> => {
    const next = (before?: number) => page(op, { ...wanted, limit: STEP, before })
    // The first page is read here, so that a caller without the right gets the error at once.
    return pagesFrom(await next(), next)
  },
  null,
)

function page(op: Operation, { company, topic, ...filter }: AuditRequest): Promise<AuditEntry[]> {
  return op.store.audit({ ...filter, companyId: companyScope(op, { company }), topic: topicFor(op, topic) })
}

/** Only owners, who manage the members, may see where people sign in from. */
function topicFor({ caller }: Operation, topic: AuditTopic | undefined): AuditTopic | undefined {
  if (topic === 'session') authorise(caller, 'own')
  const mayOwn = caller.kind === 'operator' || (caller.kind === 'person' && caller.role === 'owner')
  return mayOwn ? topic : 'change'
}

async function* pagesFrom(
  first: AuditEntry[],
  next: (before: number) => Promise<AuditEntry[]>,
): AsyncGenerator<AuditEntry[]> {
  for (let found = first; found.length > 0; found = await next(found.at(-1)!.number)) yield found
}
