/** The queue by site and by company. */
import { Pauses, pauseOf } from '../queue/pauses.ts'
import type { Pause, PauseScope, QueueLane } from '../store/store.ts'
import type { CompanyFilter } from './find.ts'
import { companyFilter } from './find.ts'
import { pauseOfMail, presentPauses } from './pauses.ts'
import { RecentAnswers } from './recent-answers.ts'
import { mayBeRetried } from './retriable.ts'
import { presentSites } from './sites.ts'
import { type Operation, verb } from './verb.ts'
import { sitesOfDomains, type WaitingSite } from './waiting-sites.ts'

/** Mail of several lanes. `lastMessage`: of the lane with the most waiting mail that has one. */
export interface LaneSum extends Omit<QueueLane, 'companyId' | 'domain'> {
  /** All of it is paused. */
  paused: boolean
}

export interface SiteSum extends LaneSum {
  site: WaitingSite
  /** The recipient domains, in the order of their waiting mail. */
  domains: string[]
  /** With the servers at present, of all companies: mail in the state `sending` without one waits for its turn. */
  sessions: number
  /** The pause of mail of all companies that covers all of its mail; null: there is none. */
  coveredBy: Pause | null
  /** False: a retry would leave all of its mail alone. */
  retriable: boolean
  /** The pause of mail of all companies to it, or to the domain that stands for it; null: there is none. */
  pause: Pause | null
}

export interface CompanySum extends LaneSum {
  companyId: string
}

/**
 * The mail that takes a route of its own is at the site of its recipient domain as well: lanes do not tell it apart.
 */
export const showQueueBySite = verb(
  'operate',
  async (op, of: CompanyFilter): Promise<SiteSum[]> => {
    const { companyId } = companyFilter(op, of)
    const { lanes, sites } = await waitingSites.answerOf(op.store, companyId ?? '', () =>
      lanesWithSites(op, companyId),
    )
    const present = await op.store.pauses(op.now())
    const pauses = new Pauses()
    pauses.replace(present)
    const states = await presentSites(op)
    const isPaused = (lane: QueueLane) =>
      pauses.covers(lane.companyId, lane.domain) ||
      pauses.coversSite(lane.companyId, sites.get(lane.domain)!.key)
    const groups = Map.groupBy(lanes, ({ domain }) => sites.get(domain)!.key)
    return [...groups].map(([key, group]) => {
      const site = sites.get(group[0]!.domain)!
      return {
        ...summed(group, isPaused),
        retriable: group.some((lane) => !isPaused(lane) && mayBeRetried(lane, op.now())),
        sessions: states.get(key)?.used.sessions ?? 0,
        site,
        domains: [...new Set(mostFirst(group).map(({ domain }) => domain))],
        coveredBy: pauseOfMail(present, { companyId: '', domain: site.domain ?? '', site: key }),
        pause: pauseOf(present, scopeOfSite(site)) ?? null,
      }
    })
  },
  null,
)

function scopeOfSite({ domain, ...site }: WaitingSite): PauseScope {
  return domain === null ? { companyId: null, domain, site } : { companyId: null, domain }
}

interface LanesWithSites {
  lanes: QueueLane[]
  /** By recipient domain. */
  sites: Map<string, WaitingSite>
}

const waitingSites = new RecentAnswers<LanesWithSites>()

async function lanesWithSites(op: Operation, companyId: string | undefined): Promise<LanesWithSites> {
  // Name servers may be slow: no search has to wait for them.
  const lanes = await op.inTurn(companyId ?? null, () => op.store.queue(companyId))
  const sites = await sitesOfDomains(op, new Set(mostFirst(lanes).map(({ domain }) => domain)))
  return { lanes, sites }
}

export const showQueueByCompany = verb('read', async (op, of: CompanyFilter): Promise<CompanySum[]> => {
  const lanes = await op.store.queue(companyFilter(op, of).companyId)
  const pauses = await presentPauses(op)
  const groups = Map.groupBy(lanes, ({ companyId }) => companyId)
  return [...groups].map(([companyId, group]) => ({
    ...summed(group, (lane) => pauses.covers(lane.companyId, lane.domain)),
    companyId,
  }))
})

function summed(lanes: readonly QueueLane[], isPaused: (lane: QueueLane) => boolean): LaneSum {
  const count = (of: 'waiting' | 'sending' | 'quarantined') => lanes.reduce((sum, lane) => sum + lane[of], 0)
  return {
    waiting: count('waiting'),
    sending: count('sending'),
    quarantined: count('quarantined'),
    oldestAt: earliest(lanes.map(({ oldestAt }) => oldestAt)),
    nextDueAt: earliest(lanes.map(({ nextDueAt }) => nextDueAt)),
    lastMessage: mostFirst(lanes).find(({ lastMessage }) => lastMessage !== null)?.lastMessage ?? null,
    paused: lanes.every(isPaused),
  }
}

function mostFirst(lanes: readonly QueueLane[]): QueueLane[] {
  return lanes.toSorted((a, b) => b.waiting - a.waiting)
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce(
    (least, time) => (least === null || (time !== null && time < least) ? time : least),
    null,
  )
}
