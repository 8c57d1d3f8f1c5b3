/** The alerts that are open now. */
import type { Alert } from '../store/store.ts'
import { pageOfAlert } from './alerts/alert-page.ts'
import { adviceFor } from './alerts/alert-words.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import { verb } from './verb.ts'

export interface OpenAlert extends Pick<Alert, 'id' | 'title' | 'found' | 'advice' | 'since'> {
  /** The page of the console that shows the alert, such as `c/ID/webhooks/ID`. */
  page: string
}

/** The most alerts that are listed. */
const MAX = 20

/** The alerts of a company, or all alerts: then those of the installation come first. */
export const openAlerts = verb('read', async (op, of: CompanyFilter): Promise<OpenAlert[]> => {
  const own = companyScope(op, of)
  const open = (await op.store.alerts()).filter(
    ({ endedAt, companyId }) => endedAt === null && (own === null || companyId === own),
  )
  return open
    .toSorted((a, b) => Number(a.companyId !== null) - Number(b.companyId !== null) || a.since - b.since)
    .slice(0, MAX)
    .map((alert) => {
      const { id, title, found, since } = alert
      const advice = adviceFor(op.caller.kind === 'operator', alert)
      return { id, title, found, advice, since, page: pageOfAlert(alert, op.accounts.domains) }
    })
})
