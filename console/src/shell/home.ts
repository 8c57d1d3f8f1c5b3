import { queries } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { setupQuery } from '../api/start.ts'
import { ALL } from './company.ts'
import { guidedCompany } from './guide.ts'

/**
 * The first page after sign-in: the list of emails in capture mode, the overview otherwise, and the first steps of an
 * installation that has not sent anything.
 */
export async function homeOf(me: Me) {
  const { companies, installation, person } = me
  if (companies.length === 0) {
    return person.operator
      ? ({ to: '/c/$company/start', params: { company: ALL } } as const)
      : ({ to: '/account' } as const)
  }
  const company = companies[0]!.id
  if (installation.delivery === 'capture') return { to: '/c/$company/emails', params: { company } } as const
  const isNew = await hasNextStep(me, company)
  return { to: isNew ? '/c/$company/start' : '/c/$company/overview', params: { company } } as const
}

/** If the request fails, the page opens anyway. */
async function hasNextStep(me: Me, company: string): Promise<boolean> {
  try {
    return (
      guidedCompany(me, company) !== null && (await queries.fetchQuery(setupQuery(company))).next !== null
    )
  } catch {
    return false
  }
}
