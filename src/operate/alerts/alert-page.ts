/** The page of the console that shows an alert. */
import type { SendingDomain } from '../../accounts/account.ts'
import type { Alert } from '../../store/store.ts'
import { domainOfAlert } from './alert-domain.ts'
import { companyProblemOf } from './company-problems.ts'

/** Returns the path below the console's URL: a page of the company, or `installation` for an alert of no company. */
export function pageOfAlert(
  alert: Pick<Alert, 'id' | 'companyId'>,
  domains: readonly Pick<SendingDomain, 'id' | 'companyId' | 'name'>[],
): string {
  const { id, companyId } = alert
  if (companyId === null) return 'installation'
  const domain = domainOfAlert(alert, domains)
  const page = domain === undefined ? companyProblemOf(id)?.page : `domains/${domain.id}`
  return `c/${companyId}/${page ?? 'overview'}`
}
