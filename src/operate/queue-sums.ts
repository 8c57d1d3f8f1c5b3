/** The queue by site, by company and by recipient domain. */
import { pauseOf, pauseOfMail } from '../queue/pauses.ts'
import type { Pause, PauseScope, QueueLane } from '../store/store.ts'
import type { CompanyFilter } from './find.ts'
import { companyFilter } from './find.ts'
import { RecentAnswers } from './recent-answers.ts'
import { mayBeRetried } from './retriable.ts'
import { presentSites } from './sites.ts'
import { type Operation, verb } from './verb.ts'
import {
  keyOf,
  type LanePauses,
  lanePauses,
  mostFirst,
  recentLanes,
  type WaitingLanes,
} from './waiting-lanes.ts'
import { sitesOfDomains, type WaitingSite } from './waiting-sites.ts'

/**
 * The figures of mail of one or several lanes. `lastMessage`, `lastServer`: of the lane with the most waiting mail that
 * has one.
 */
export interface LaneFigures extends Omit<QueueLane, 'companyId' | 'domain'> {
  /** All of it is paused. */
  paused: boolean
}

export interface LaneSum extends LaneFigures {
  /** The pause that all of it waits for; null: it is not paused, or by several. */
  pause: Pause | null
  /** There is a pause of exactly this mail. */
  pausedAlone: boolean
  /** False: a retry would leave all of it alone. */
  retriable: boolean
}

/** The sums with the most waiting mail first. */
export interface Sums<Sum> {
  sums: Sum[]
  /** The number of all. */
  count: number
  /** False: a retry would leave the mail of all of them alone. */
  retriable: boolean
}

/** A part of the sums: from which one on, counted from 0, and how many; absent: all. */
export interface SumsRequest extends CompanyFilter {
  from?: number | undefined
  limit?: number | undefined
  /** Leaves out sums without waiting mail, of mail that is being sent or in quarantine. */
  waitingAlone?: boolean
}

export interface SiteSum extends LaneSum {
  site: WaitingSite
  /** The recipient domains, in the order of their waiting mail. */
  domains: string[]
  /** With the servers at present, of all companies: mail in the state `sending` without one waits for its turn. */
  sessions: number
}

export interface CompanySum extends LaneSum {
  companyId: string
}

export interface DomainSum extends LaneSum {
  /** The recipient domain. */
  domain: string
}

/**
 * The mail that takes a route of its own is at the site of its recipient domain as well: lanes do not tell it apart.
 */
export const showQueueBySite = verb(
  'operate',
  async (op, of: CompanyFilter): Promise<SiteSum[]> => {
    const { companyId } = companyFilter(op, of)
    const present = await op.store.pauses(op.now())
    const { lanes, sites } = await waitingSites.answerOf(op.store, companyId ?? '', () =>
      lanesWithSites(op, companyId, present),
    )
    const pauses = lanePauses(op, present, sites)
    const states = await presentSites(op)
    const groups = Map.groupBy(lanes, ({ domain }) => sites.get(domain)!.key)
    return [...groups].map(([key, group]) => {
      const site = sites.get(group[0]!.domain)!
      return {
        ...summed(group),
        nextDueAt: nextDueAt(group, pauses),
        paused: group.every(pauses.cover),
        retriable: areRetriable(group, pauses, op.now()),
        sessions: states.get(key)?.used.sessions ?? 0,
        site,
        domains: [...new Set(mostFirst(group).map(({ domain }) => domain))],
        pause: pauseOfMail(present, { companyId: '', domain: site.domain ?? '', site: key }),
        pausedAlone: pauseOf(present, scopeOfSite(site)) !== undefined,
      }
    })
  },
  null,
)

function scopeOfSite({ domain, ...site }: WaitingSite): PauseScope {
  return domain === null ? { companyId: null, domain, site } : { companyId: null, domain }
}

interface LanesWithSites extends WaitingLanes {
  /** By recipient domain, for each lane. */
  sites: Map<string, WaitingSite>
}

const waitingSites = new RecentAnswers<LanesWithSites>()

async function lanesWithSites(
  op: Operation,
  companyId: string | undefined,
  present: readonly Pause[],
): Promise<LanesWithSites> {
  const { lanes } = await recentLanes(op, companyId, present)
  return { lanes, sites: await sitesOfDomains(op, new Set(mostFirst(lanes).map(({ domain }) => domain))) }
}

/** The next attempt of the mail that no pause covers; if all of it is paused, of all. */
function nextDueAt(lanes: readonly QueueLane[], pauses: LanePauses): number | null {
  const free = lanes.filter((lane) => !pauses.cover(lane))
  return earliest((free.length > 0 ? free : lanes).map((lane) => lane.nextDueAt))
}

/** Whether a retry could make any of the mail due. */
function areRetriable(lanes: readonly QueueLane[], pauses: LanePauses, now: number): boolean {
  return lanes.some((lane) => !pauses.cover(lane) && mayBeRetried(lane, now))
}

export const showQueueByCompany = verb('read', async (op, of: SumsRequest): Promise<Sums<CompanySum>> => {
  const scopeOf = (companyId: string) => ({ companyId, domain: null })
  const { sums, ...all } = await sumsBy(op, of, 'companyId', scopeOf)
  return { sums: sums.map(({ key, ...sum }) => ({ ...sum, companyId: key })), ...all }
})

/** Mail of a company, or of all. */
export const showQueueByDomain = verb('read', async (op, of: SumsRequest): Promise<Sums<DomainSum>> => {
  const { companyId = null } = companyFilter(op, of)
  const { sums, ...all } = await sumsBy(op, of, 'domain', (domain) => ({ companyId, domain }))
  return { sums: sums.map(({ key, ...sum }) => ({ ...sum, domain: key })), ...all }
})

interface Group {
  key: string
  sum: Omit<LaneFigures, 'paused' | 'nextDueAt'>
  lanes: QueueLane[]
}

interface Groups extends Pick<WaitingLanes, 'sites'> {
  /** In order. By company id, or recipient domain. */
  groups: Group[]
}

const recentGroups = new RecentAnswers<Groups>()

/** Pauses are looked up each time: people see at once what they have done. */
async function sumsBy(
  op: Operation,
  { from = 0, limit = Number.MAX_SAFE_INTEGER, waitingAlone = false, ...of }: SumsRequest,
  by: 'companyId' | 'domain',
  scopeOf: (key: string) => PauseScope,
): Promise<Sums<LaneSum & { key: string }>> {
  const { companyId } = companyFilter(op, of)
  const present = await op.store.pauses(op.now())
  const { groups, sites } = await recentGroups.answerOf(
    op.store,
    `${by} ${keyOf(companyId, present)}`,
    async () => {
      const { lanes, sites } = await recentLanes(op, companyId, present)
      return { groups: grouped(lanes, by), sites }
    },
  )
  const pauses = lanePauses(op, present, sites)
  const found = waitingAlone ? groups.filter(({ sum }) => sum.waiting > 0) : groups
  const sums = found.slice(from, from + limit).map(({ key, sum, lanes }) => {
    const scope = scopeOf(key)
    const [site, ...otherSites] = new Set(lanes.map(pauses.siteOf))
    return {
      ...sum,
      nextDueAt: nextDueAt(lanes, pauses),
      key,
      paused: lanes.every(pauses.cover),
      pause: pauseOfMail(present, {
        companyId: scope.companyId ?? '',
        domain: scope.domain ?? '',
        site: otherSites.length === 0 ? site : undefined,
      }),
      retriable: areRetriable(lanes, pauses, op.now()),
      pausedAlone: pauseOf(present, scope) !== undefined,
    }
  })
  const retriable = found.some(({ lanes }) => areRetriable(lanes, pauses, op.now()))
  return { sums, count: found.length, retriable }
}

function grouped(lanes: readonly QueueLane[], by: 'companyId' | 'domain'): Group[] {
  const all = [...Map.groupBy(lanes, (lane) => lane[by])]
  return all
    .map(([key, group]) => ({ key, sum: summed(group), lanes: group }))
    .toSorted((a, b) => b.sum.waiting - a.sum.waiting || (a.key < b.key ? -1 : 1))
}

function summed(lanes: readonly QueueLane[]): Group['sum'] {
  const count = (of: 'waiting' | 'sending' | 'quarantined') => lanes.reduce((sum, lane) => sum + lane[of], 0)
  const last = mostFirst(lanes).find(({ lastMessage }) => lastMessage !== null)
  return {
    waiting: count('waiting'),
    sending: count('sending'),
    quarantined: count('quarantined'),
    oldestAt: earliest(lanes.map(({ oldestAt }) => oldestAt)),
    lastMessage: last?.lastMessage ?? null,
    lastServer: last?.lastServer ?? null,
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce(
    (least, time) => (least === null || (time !== null && time < least) ? time : least),
    null,
  )
}
