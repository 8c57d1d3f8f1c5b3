/**
 * The guide of a new installation: the next step before the first message. It follows from what the company has, so it
 * continues wherever the person left it.
 */
import { useQuery } from '@tanstack/react-query'
import { type Me, useMe } from '../api/session.ts'
import { type CompanySetup, setupQuery } from '../api/start.ts'
import { ALL, useCompany } from './company.ts'

/** The company comes first; `null`: nothing is left to do. */
export type NextStepName = 'company' | CompanySetup['next']

/**
 * The company that the guide is about, or `all` if there is none yet. `null`: the person needs no guide, as a viewer or
 * as an operator of several companies.
 */
export function guidedCompany({ companies, person }: Me, chosen: string): string | null {
  if (companies.length === 0) return person.operator ? ALL : null
  if (companies.length > 1 && person.operator) return null
  const company = companies.find(({ id }) => chosen === ALL || id === chosen)
  return company === undefined || company.role === 'viewer' ? null : company.id
}

/** `undefined`: not known yet. */
export function useNextStep(): { company: string; step: NextStepName } | undefined {
  const chosen = useCompany()
  const guided = guidedCompany(useMe(), chosen)
  const { data, isError } = useQuery({
    ...setupQuery(guided ?? ''),
    enabled: guided !== null && guided !== ALL,
  })
  if (guided === null || isError) return { company: chosen, step: null }
  if (guided === ALL) return { company: ALL, step: 'company' }
  return data && { company: guided, step: data.next }
}
