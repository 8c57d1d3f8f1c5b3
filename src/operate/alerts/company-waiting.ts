/**
 * Companies whose mail waits for an hour without being tried: it is due, or held for a closed path. Mail that its own
 * server has put off waits for the retry schedule, which takes days, and does not count.
 */
import type { NewAlert, SiteClosure } from '../../store/store.ts'
import { readableInCompany, sitesInTime } from '../closures.ts'
import { deliveringSince } from '../delivering-since.ts'
import { lateMail } from '../late-mail.ts'
import { presentClosures } from '../present-closures.ts'
import type { Operation } from '../verb.ts'
import {
  isDue,
  isHeld,
  laneClosures,
  lanePauses,
  recentLanes,
  routeSites,
  type WaitingLane,
} from '../waiting-lanes.ts'
import { nameOf } from './company-name.ts'
import { NOTHING_FOUND, type ProblemFindings, runSearches } from './problem-search.ts'

const WAITS_MS = 3_600_000
/** The most lanes of one company for which a site is looked up: those with the oldest mail. */
const MAX_LOOKED_UP = 5

const TRIED_AGAIN = 'The mail will be tried again automatically; the overview shows when.'

type LaneClosures = ReadonlyMap<WaitingLane, SiteClosure>

/** The facts about all companies that one look shares. */
interface LookFacts {
  /** Unix ms: mail that is older waits too long. */
  since: number
  closureOf: LaneClosures
  /** As `deliveringSince`. The nodes are read once, if they are needed. */
  delivering: () => Promise<number | null>
}

export async function waitingMail(
  op: Operation,
  onFault: (error: unknown) => void,
): Promise<ProblemFindings> {
  const present = await op.store.pauses(op.now())
  const { lanes, sites } = await recentLanes(op, undefined, present)
  const { cover } = lanePauses(op, present, sites)
  const waiting = lanes.filter((lane) => lane.waiting > 0 && !cover(lane))
  const since = op.now() - WAITS_MS
  const closureOf = await presentClosuresOf(op, waiting, since)
  let begun: Promise<number | null> | undefined
  const facts: LookFacts = { since, closureOf, delivering: () => (begun ??= deliveringSince(op)) }
  const companies = [...Map.groupBy(waiting, ({ companyId }) => companyId)]
  return await runSearches(
    companies.map(([companyId, ofCompany]) => ({
      id: idOf(companyId),
      find: () => waitingOf(op, companyId, ofCompany, facts),
    })),
    onFault,
  )
}

/** The problems of one company, by its lanes. */
async function waitingOf(
  op: Operation,
  companyId: string,
  lanes: readonly WaitingLane[],
  facts: LookFacts,
): Promise<ProblemFindings> {
  const { since, closureOf, delivering } = facts
  const held = lanes.find((lane) => (closureOf.get(lane)?.since ?? Number.POSITIVE_INFINITY) <= since)
  if (held !== undefined) return { ...NOTHING_FOUND, found: [heldMail(op, held, closureOf.get(held)!)] }
  if (!lanes.some((lane) => isDueSince(lane, since))) return NOTHING_FOUND
  const late = await lateMail(op, companyId, since, delivering)
  if (late === null) return NOTHING_FOUND
  if (late.knownAt !== null) return { ...NOTHING_FOUND, unknown: [idOf(companyId)] }
  // A path that closes again and again has not been closed for long, and keeps its mail waiting all the same.
  const due = lanes.find((lane) => isDueSince(lane, since) && closureOf.has(lane))
  const alert = due === undefined ? dueMail(op, companyId) : heldMail(op, due, closureOf.get(due)!)
  return { ...NOTHING_FOUND, found: [alert] }
}

function isDueSince({ dueAt }: WaitingLane, since: number): boolean {
  return dueAt !== null && dueAt <= since
}

/** The closures, of any age, that keep mail waiting which is older than that: it is held, or was due then. */
async function presentClosuresOf(
  op: Operation,
  lanes: readonly WaitingLane[],
  since: number,
): Promise<LaneClosures> {
  const closures = await presentClosures(op)
  if (closures.none) return new Map()
  // The mail of such a domain takes another way than its lane tells.
  const mixed = new Set(
    op.accounts.routes.flatMap(({ companyId, domainId }) => (domainId === null ? [] : [companyId])),
  )
  // A claim leaves out mail of closed paths: it stays due.
  const kept = lanes.filter(
    (lane) =>
      !mixed.has(lane.companyId) &&
      lane.oldestAt !== null &&
      lane.oldestAt <= since &&
      (isHeld(lane) || isDueSince(lane, since)),
  )
  const looked = [...Map.groupBy(kept, ({ companyId }) => companyId).values()].flatMap((ofCompany) =>
    ofCompany.toSorted((a, b) => a.oldestAt! - b.oldestAt!).slice(0, MAX_LOOKED_UP),
  )
  const siteOfRoute = routeSites(op)
  const direct = looked.filter(({ companyId }) => siteOfRoute(companyId) === null)
  const sites = await sitesInTime(op, new Set(direct.map(({ domain }) => domain)))
  const closureOf = laneClosures(op, closures, sites)
  return new Map(
    looked.flatMap((lane) => {
      const closed = closureOf(lane, !isDue(lane, op.now()))
      return closed === null ? [] : [[lane, closed] as const]
    }),
  )
}

function heldMail(op: Operation, { companyId, domain }: WaitingLane, closed: SiteClosure): NewAlert {
  const why = readableInCompany(companyId, closed).reason
  return {
    ...subject(op, companyId),
    found: `Mail to ${domain} has waited for an hour: ${why.replace(/\.$/, '')}.`,
    advice: TRIED_AGAIN,
    memberAdvice: TRIED_AGAIN,
  }
}

function dueMail(op: Operation, companyId: string): NewAlert {
  return {
    ...subject(op, companyId),
    found: 'Mail has been due for an hour but has not been tried.',
    advice: 'Check under “Nodes” on the page Installation that a delivery node runs, and read its log.',
    memberAdvice: 'Ask the operator of this service.',
  }
}

function subject(op: Operation, companyId: string): Pick<NewAlert, 'companyId' | 'id' | 'title'> {
  return { id: idOf(companyId), companyId, title: `Waiting mail of ${nameOf(op, companyId)}` }
}

function idOf(companyId: string): string {
  return `waiting:${companyId}`
}
