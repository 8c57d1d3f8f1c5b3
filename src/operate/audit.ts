/** The list of who changed what, and when, and of who signed in and out. */
import type { AuditEntry, AuditTopic } from '../people/person.ts'
import type { AuditFilter } from '../store/store.ts'
import { authorise } from './authority.ts'
import { companyScope, type OfCompany } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** Entries read in one step of an export. */
const STEP = 500

export interface AuditWanted extends OfCompany, Omit<AuditFilter, 'companyId'> {}

/** The newest first; for those who may change something themselves. */
export const listAudit = verb('manage', page, null)

/** All that match, page by page; the newest first. */
export const exportAudit = verb(
  'manage',
  async (op, wanted: Omit<AuditWanted, 'limit' | 'before'>): Promise<AsyncIterable<AuditEntry[]>> => {
    const next = (before?: number) => page(op, { ...wanted, limit: STEP, before })
    // What the caller may not see is said at once.
    return pagesFrom(await next(), next)
  },
  null,
)

function page(op: Operation, { company, topic, ...filter }: AuditWanted): Promise<AuditEntry[]> {
  return op.store.audit({ ...filter, companyId: companyScope(op, { company }), topic: topicFor(op, topic) })
}

/** From where people sign in is for those who say who belongs to the company. */
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
