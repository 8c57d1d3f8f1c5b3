import type { Me } from '../api/session.ts'
import { ALL } from './company.ts'

interface Place {
  pathname: string
  search: Record<string, unknown>
}

/** Parameters that belong to one company: an open item, a dialog, a place in a list, and names of its things. */
const OF_ONE = ['open', 'add', 'dialog', 'after', 'before', 'domain', 'key', 'email']

/** The page that is open, of another company, with its filters: the list instead of a thing in it. */
export function samePage({ pathname, search }: Place, company: string, companies: Me['companies']) {
  const [, , , page, thing] = pathname.split('/')
  const isAbsent =
    page === undefined ||
    (page === 'settings' && company === ALL) ||
    (page === 'audit' && companies.find(({ id }) => id === company)?.role === 'viewer')
  const filters = Object.entries(search).filter(
    // On the overview `from` is a sending domain, in lists a day.
    ([name]) => !OF_ONE.includes(name) && !(page === 'overview' && name === 'from'),
  )
  return {
    to: `/c/${company}/${isAbsent ? 'emails' : page}`,
    search: isAbsent || thing !== undefined ? {} : Object.fromEntries(filters),
  } as never
}
