/** What waits at the moment, in a few numbers, and the room that is left. */
import { Pauses } from '../queue/pauses.ts'
import type { Backlog, StorageUsed, WaitingCompany, WaitingDestination } from '../store/store.ts'
import { companyScope, type OfCompany } from './find.ts'
import { Lately } from './lately.ts'
import { verb } from './verb.ts'

export interface ShownBacklog extends Omit<Backlog, 'destinations' | 'companies'> {
  /** Recipient domains for which most waits, those first. */
  destinations: (WaitingDestination & ShownPause)[]
  companies: (WaitingCompany & ShownPause)[]
}

export interface ShownPause {
  /** A pause keeps it, be it of this alone or of more. */
  paused: boolean
  /** There is one of exactly this, of the company that was asked for or of all. */
  pausedAlone: boolean
}

export interface BacklogWanted extends OfCompany {
  /** Destinations and companies, at most. */
  limit?: number | undefined
}

/** Of a company, or of all. */
export const showBacklog = verb(
  'read',
  async (op, { limit = 10, ...of }: BacklogWanted): Promise<ShownBacklog> => {
    const companyId = companyScope(op, of)
    const request = { ...(companyId !== null && { companyId }), most: limit }
    const ask = () => op.inTurn(companyId, () => op.store.backlog(request))
    const [backlog, paused] = await Promise.all([
      backlogs.of(op.store, JSON.stringify(request), ask),
      op.store.pauses(),
    ])
    const pauses = new Pauses()
    pauses.replace(paused)
    const own = companyId
    const alone = (companyId: string | null, domain: string | null) =>
      paused.some((pause) => pause.companyId === companyId && pause.domain === domain)
    return {
      ...backlog,
      // Names of no company and of no domain: what covers these covers all.
      destinations: backlog.destinations.map((each) => ({
        ...each,
        ...{ paused: pauses.covers(own ?? '', each.domain), pausedAlone: alone(own, each.domain) },
      })),
      companies: backlog.companies.map((each) => ({
        ...each,
        ...{ paused: pauses.covers(each.companyId, ''), pausedAlone: alone(each.companyId, null) },
      })),
    }
  },
)

const backlogs = new Lately<Backlog>()

/** How large the database is, and the room left beside it. */
export const showStorage = verb(
  'operate',
  (op, _input: object): Promise<StorageUsed> => op.store.storage(),
  null,
)
