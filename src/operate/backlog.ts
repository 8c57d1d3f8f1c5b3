/** Figures on the mail that is waiting now, and the free disk space. */
import { pauseOf } from '../queue/pauses.ts'
import type { Backlog, Pause, StorageUsage, WaitingCompany, WaitingDestination } from '../store/store.ts'
import { withNextTries } from './closures.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import { pauseOfMail } from './pauses.ts'
import { RecentAnswers } from './recent-answers.ts'
import { mayBeRetried } from './retriable.ts'
import { verb } from './verb.ts'

export interface BacklogReport extends Omit<Backlog, 'destinations' | 'companies'> {
  /** The recipient domains with the most waiting mail, in descending order. */
  destinations: (WaitingDestination & PauseState)[]
  companies: (WaitingCompany & PauseState)[]
  /** False: a retry would leave all waiting mail alone. */
  retriable: boolean
}

export interface PauseState {
  /** False: a retry would leave all of it alone. */
  retriable: boolean
  /** The pause that the mail waits for: of exactly this destination or company, or a wider one. Null: none. */
  pause: Pause | null
  /**
   * True when there is a pause of exactly this destination or company, within the requested company or for all
   * companies.
   */
  pausedAlone: boolean
}

export interface BacklogRequest extends CompanyFilter {
  /** The most destinations and companies to return. */
  limit?: number | undefined
}

/** The backlog of a company, or of all. */
export const showBacklog = verb(
  'read',
  async (op, { limit = 10, ...of }: BacklogRequest): Promise<BacklogReport> => {
    const companyId = companyScope(op, of)
    const request = { ...(companyId !== null && { companyId }), most: limit }
    const ask = () => op.inTurn(companyId, () => op.store.backlog(request))
    const [backlog, paused] = await Promise.all([
      backlogs.answerOf(op.store, JSON.stringify(request), ask),
      op.store.pauses(op.now()),
    ])
    const own = companyId
    const alone = (companyId: string | null, domain: string | null) =>
      pauseOf(paused, { companyId, domain }) !== undefined
    const held = backlog.destinations.map((each) => ({ ...each, companyId }))
    const destinations = await withNextTries(op, held)
    const searched = companyId !== null || backlog.waiting <= MOST_SEARCHED
    const present = destinations.map(({ companyId: _, ...each }) => {
      const pause = pauseOfMail(paused, { companyId: own ?? '', domain: each.domain })
      const retriable = pause === null && (!searched || mayBeRetried(each, op.now()))
      return { ...each, pause, retriable, pausedAlone: alone(own, each.domain) }
    })
    const some = backlog.destinations.length === limit || present.some((each) => each.retriable)
    return {
      ...backlog,
      retriable: some,
      // No company and no domain has the name '', so only a pause of all companies or domains covers ''.
      destinations: present,
      companies: backlog.companies.map((each) => {
        const pause = pauseOfMail(paused, { companyId: each.companyId, domain: '' })
        return {
          ...each,
          pause,
          retriable: pause === null && some,
          pausedAlone: alone(each.companyId, null),
        }
      }),
    }
  },
)

/** Of more waiting mail of all companies, replies are searched for in a sample. */
const MOST_SEARCHED = 10_000

const backlogs = new RecentAnswers<Backlog>()

/** The size of the database, and the free space beside it. */
export const showStorage = verb(
  'operate',
  (op, _input: object): Promise<StorageUsage> => op.store.storage(),
  null,
)
