import { useParams } from '@tanstack/react-router'
import { type Me, useMe } from '../api/session.ts'

/** Stands for all companies together; only operators may use it. */
export const ALL = 'all'

/** Whether the person may see the company; `all` is for operators. */
export function isVisible({ companies, person }: Me, company: string): boolean {
  return company === ALL ? person.operator : companies.some(({ id }) => id === company)
}

/**
 * The company id in the address, or `all`; on pages without a company that the person may see, the person's first
 * company.
 */
export function useCompany(): string {
  const { company } = useParams({ strict: false })
  const me = useMe()
  if (company !== undefined && isVisible(me, company)) return company
  return me.companies[0]?.id ?? (me.person.operator ? ALL : '')
}

type CompanyRole = Me['companies'][number]['role']

/** The person's role in that company; `null` if the person has none. */
export function useRole(): CompanyRole | null {
  const id = useCompany()
  const { companies, person } = useMe()
  return companies.find((company) => company.id === id)?.role ?? (person.operator ? 'operator' : null)
}

/**
 * Whether the person may change settings. The server decides; the page only hides actions that would be
 * refused.
 */
export function useMayManage(): boolean {
  return useRole() !== 'viewer'
}
