import { useParams } from '@tanstack/react-router'
import { type Me, useMe } from '../api/session.ts'

/** Of all companies, for operators. */
export const ALL = 'all'

/** The id of the company that is looked at, or `all`; on pages of no company, the first there is. */
export function useCompany(): string {
  const { company } = useParams({ strict: false })
  const { companies, person } = useMe()
  return company ?? companies[0]?.id ?? (person.operator ? ALL : '')
}

export type CompanyRole = Me['companies'][number]['role']

/** What one may do there; null: of all companies together. */
export function useRole(): CompanyRole | null {
  const id = useCompany()
  const { companies, person } = useMe()
  return companies.find((company) => company.id === id)?.role ?? (person.operator ? 'operator' : null)
}

/** Whether settings may be changed. The service decides; the page offers only what it would take. */
export function useMayManage(): boolean {
  return useRole() !== 'viewer'
}
