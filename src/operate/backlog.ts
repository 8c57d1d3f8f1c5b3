/** Figures on the mail that is waiting now, and the free disk space. */
import type { Backlog, StorageUsage } from '../store/store.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import { RecentAnswers } from './recent-answers.ts'
import { verb } from './verb.ts'

/** The backlog of a company, or of all. */
export const showBacklog = verb('read', async (op, of: CompanyFilter): Promise<Backlog> => {
  const companyId = companyScope(op, of)
  const ask = () => op.inTurn(companyId, () => op.store.backlog(companyId ?? undefined))
  return await backlogs.answerOf(op.store, companyId ?? '', ask)
})

const backlogs = new RecentAnswers<Backlog>()

/** The size of the database, and the free space beside it. */
export const showStorage = verb(
  'operate',
  (op, _input: object): Promise<StorageUsage> => op.store.storage(),
  null,
)
