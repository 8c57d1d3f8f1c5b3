/** The name of a company in alerts. */
import { mailedName } from '../mailed-name.ts'
import type { Operation } from '../verb.ts'

/** The operator's name, because operators get these alerts, too, and the name that its people know. */
export function nameOf({ accounts }: Operation, companyId: string): string {
  const company = accounts.companies.find(({ id }) => id === companyId)
  if (company === undefined) return companyId
  const shown = mailedName(company)
  return shown === company.name ? shown : `${company.name} (${shown})`
}
