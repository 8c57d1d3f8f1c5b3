/**
 * The lanes of waiting mail as every verb of the queue shows them: with the next try of a closed path, and with the
 * sites that tell which of them a pause covers.
 */
import { RouteTable } from '../accounts/routes.ts'
import { isOfOthers, othersFailed } from '../email/not-attempted.ts'
import { coversMail } from '../queue/pauses.ts'
import type { Pause, QueueLane } from '../store/store.ts'
import {
  type ClosedSite,
  closureFinder,
  type FindClosure,
  readableInCompany,
  siteOfOwnRoute,
  sitesInTime,
} from './closures.ts'
import { type PresentClosures, presentClosures } from './present-closures.ts'
import { RecentAnswers } from './recent-answers.ts'
import type { Operation } from './verb.ts'
import type { WaitingSite } from './waiting-sites.ts'

/** The most lanes that a site is looked up for: those with most waiting mail. */
const MAX_LANES = 100

/**
 * `nextDueAt` of mail that waits for its path: the next try of the path, which releases it. Its own times are spread
 * over the time after that. `lastMessage` of due mail that a closed path keeps waiting: the trouble that closed it, in
 * words that the company of the lane may read, whoever asks: answers are shared.
 */
export interface WaitingLane extends QueueLane {
  /** Unix ms: the earliest due time in the store. */
  dueAt: number | null
}

export interface WaitingLanes {
  lanes: WaitingLane[]
  /** By recipient domain, for mail that takes POSTROAD_DELIVERY: of held lanes, and of all if a site is paused. */
  sites: ReadonlyMap<string, WaitingSite>
}

/** `present`: the pauses in force. Without a company: of all. */
export async function waitingLanes(
  op: Operation,
  companyId: string | undefined,
  present: readonly Pause[],
): Promise<WaitingLanes> {
  // Name servers may be slow: no search has to wait for them.
  const stored = await op.inTurn(companyId ?? null, () => op.store.queue(companyId))
  const lanes = stored.map((lane): WaitingLane => ({ ...lane, dueAt: lane.nextDueAt }))
  const siteOfRoute = routeSites(op)
  const waiting = mostFirst(lanes.filter((lane) => lane.waiting > 0))
  const closures = await presentClosures(op)
  const now = op.now()
  const held = closures.none
    ? []
    : waiting.filter((lane) => isHeld(lane) || isDue(lane, now)).slice(0, MAX_LANES)
  const asked = isAnySitePaused(present) ? [...held, ...waiting.slice(0, MAX_LANES)] : held
  const unknown = asked.filter((lane) => siteOfRoute(lane.companyId) === null)
  const sites = await sitesInTime(op, new Set(unknown.map(({ domain }) => domain)))
  const closureOf = laneClosures(op, closures, sites)
  const closed = new Map(held.map((lane) => [lane, closureOf(lane, !isDue(lane, now))]))
  return { lanes: lanes.map((lane) => withClosure(lane, closed.get(lane) ?? null, isDue(lane, now))), sites }
}

export function isDue({ dueAt }: Pick<WaitingLane, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt <= now
}

/** The next try of a closed path decides when it is tried, and not its own time. */
export function waitsForPath({ dueAt, nextDueAt }: WaitingLane): boolean {
  return nextDueAt !== dueAt
}

/** Some of it has met a closed path. */
export function isHeld({ lastMessage }: Pick<QueueLane, 'lastMessage'>): boolean {
  return isOfOthers(lastMessage)
}

function withClosure(lane: WaitingLane, closed: ClosedSite | null, due: boolean): WaitingLane {
  if (closed === null || lane.dueAt === null) return lane
  if (!due) return { ...lane, nextDueAt: Math.min(lane.dueAt, closed.nextTryAt) }
  const { reason } = readableInCompany(lane.companyId, closed)
  return { ...lane, nextDueAt: closed.nextTryAt, lastMessage: othersFailed(reason) }
}

/** The closure that keeps mail of a lane waiting; null: none is known. `held`: the mail has met it. */
export function laneClosures(
  op: Operation,
  closures: PresentClosures,
  sites: ReadonlyMap<string, WaitingSite>,
): (lane: Pick<QueueLane, 'companyId' | 'domain'>, held: boolean) => ClosedSite | null {
  const siteOfRoute = routeSites(op)
  const finders = new Map<string, FindClosure>()
  return ({ companyId, domain }, held) => {
    let find = finders.get(companyId)
    if (find === undefined) {
      const sent = { id: '', companyId, domainId: '', source: null, testMode: false }
      find = closureFinder(op, closures, sent, (to) => siteOfRoute(companyId) ?? sites.get(to))
      finders.set(companyId, find)
    }
    return find(domain, held)
  }
}

const recent = new RecentAnswers<WaitingLanes>()

/** The same, for tables that people look at side by side, again and again. */
export function recentLanes(
  op: Operation,
  companyId: string | undefined,
  present: readonly Pause[],
): Promise<WaitingLanes> {
  return recent.answerOf(op.store, keyOf(companyId, present), () => waitingLanes(op, companyId, present))
}

/** Of an answer that contains these lanes: a pause of a site needs sites that were not looked up before. */
export function keyOf(companyId: string | undefined, present: readonly Pause[]): string {
  return `${companyId ?? ''}${isAnySitePaused(present) ? ' with sites' : ''}`
}

function isAnySitePaused(pauses: readonly Pause[]): boolean {
  return pauses.some(({ site }) => site !== undefined)
}

/** The sites of routes of companies; null: the mail takes POSTROAD_DELIVERY, or the route of a sending domain. */
export function routeSites(op: Operation): (companyId: string) => WaitingSite | null {
  const routes = new RouteTable(op.accounts.routes)
  const found = new Map<string, WaitingSite | null>()
  return (companyId) => {
    let site = found.get(companyId)
    if (site === undefined) {
      site = siteOfOwnRoute(routes, { companyId, domainId: '' })
      found.set(companyId, site)
    }
    return site
  }
}

export interface LanePauses {
  /** The lane waits for the end of a pause. */
  cover(lane: QueueLane): boolean
  /** The key of the lane's site; undefined: it is not known, or no site is paused. */
  siteOf(lane: QueueLane): string | undefined
}

/** Tells which lanes the pauses cover. `sites`: by recipient domain. */
export function lanePauses(
  op: Operation,
  present: readonly Pause[],
  sites: ReadonlyMap<string, WaitingSite>,
): LanePauses {
  const siteOfRoute = routeSites(op)
  const isNeeded = isAnySitePaused(present)
  const siteOf = ({ companyId, domain }: QueueLane) =>
    !isNeeded ? undefined : (siteOfRoute(companyId) ?? sites.get(domain))?.key
  return {
    siteOf,
    cover(lane) {
      if (present.length === 0) return false
      const { companyId, domain } = lane
      const mail = { companyId, domain, site: siteOf(lane) }
      return present.some((pause) => coversMail(pause, mail))
    },
  }
}

export function mostFirst<Lane extends QueueLane>(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((a, b) => b.waiting - a.waiting)
}
