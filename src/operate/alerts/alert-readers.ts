/** The people who get mail about an alert. */
import type { AlertKind, Person } from '../../people/person.ts'
import type { Alert } from '../../store/store.ts'
import { isAboutDomain } from './alert-domain.ts'
import { companyProblemOf } from './company-problems.ts'

function kindOfAlert(id: string): AlertKind {
  return companyProblemOf(id)?.kind ?? (isAboutDomain(id) ? 'domains' : 'installation')
}

export interface AlertReader {
  address: string
  isOperator: boolean
}

/**
 * Those operators, and confirmed members of the company that the alert is about, who have an address and chose alerts
 * of this kind.
 */
export function readersOf(
  { id, companyId }: Pick<Alert, 'id' | 'companyId'>,
  people: readonly Pick<Person, 'address' | 'alerts' | 'memberships' | 'operator'>[],
): AlertReader[] {
  const kind = kindOfAlert(id)
  const mayKnow = ({ operator, memberships }: Pick<Person, 'memberships' | 'operator'>) =>
    operator || memberships.some((each) => each.companyId === companyId && each.unconfirmed !== true)
  return people.flatMap((person) => {
    const { address, alerts, operator: isOperator } = person
    return address !== null && alerts.includes(kind) && mayKnow(person) ? [{ address, isOperator }] : []
  })
}
