/**
 * Companies whose mail waits for an hour without being tried: it is due, or held for a closed path. Mail that its own
 * server has put off waits for the retry schedule, which takes days, and does not count.
 */
import type { NewAlert, SiteClosure } from '../../store/store.ts'
import { readableInCompany, sitesInTime } from '../closures.ts'
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
import { NOTHING_FOUND, type TroubleFindings, withEach } from './troubles.ts'

const WAITS_MS = 3_600_000
/** Lanes of a company whose site is looked up: those of the oldest mail. */
const MOST_LOOKED_UP = 5
/** Events that a delivery leaves behind. */
const OF_ATTEMPTS: ReadonlySet<string> = new Set(['delivered', 'delivery_delayed', 'bounced'])
const MINUTE = 60_000
/** More than an hour of one company has, by minute and type of event. */
const MOST_COUNTS = 10_000

type LaneClosures = ReadonlyMap<WaitingLane, SiteClosure>

/** The facts about all companies that one look shares. */
interface LookFacts {
  /** Unix ms: mail that is older waits too long. */
  since: number
  closureOf: LaneClosures
  /** Whether a node delivers. The nodes are read once, if they are needed. */
  isDelivering: () => Promise<boolean>
}

export async function waitingMail(
  op: Operation,
  onFault: (error: unknown) => void,
): Promise<TroubleFindings> {
  const present = await op.store.pauses(op.now())
  const { lanes, sites } = await recentLanes(op, undefined, present)
  const { cover } = lanePauses(op, present, sites)
  const waiting = lanes.filter((lane) => lane.waiting > 0 && !cover(lane))
  const since = op.now() - WAITS_MS
  const closureOf = await presentClosuresOf(op, waiting, since)
  let delivering: Promise<boolean> | undefined
  const isDelivering = () => (delivering ??= hasDeliveryNode(op))
  const facts: LookFacts = { since, closureOf, isDelivering }
  const companies = [...Map.groupBy(waiting, ({ companyId }) => companyId)]
  return await withEach(
    companies.map(([companyId, ofCompany]) => ({
      id: idOf(companyId),
      find: () => waitingOf(op, companyId, ofCompany, facts),
    })),
    onFault,
  )
}

/** The troubles of one company, by its lanes. */
async function waitingOf(
  op: Operation,
  companyId: string,
  lanes: readonly WaitingLane[],
  facts: LookFacts,
): Promise<TroubleFindings> {
  const { since, closureOf } = facts
  const held = lanes.find((lane) => (closureOf.get(lane)?.since ?? Number.POSITIVE_INFINITY) <= since)
  if (held !== undefined) return { ...NOTHING_FOUND, found: [heldMail(op, held, closureOf.get(held)!)] }
  if (!(await isLate(op, companyId, lanes, facts))) return NOTHING_FOUND
  // A path that closes again and again has not been closed for long, and keeps its mail waiting all the same.
  const due = lanes.find((lane) => isDueSince(lane, since) && closureOf.has(lane))
  const alert = due === undefined ? dueMail(op, companyId) : heldMail(op, due, closureOf.get(due)!)
  return { ...NOTHING_FOUND, found: [alert] }
}

/**
 * Mail is due since then, and none was tried. Otherwise it takes its turn: a slow site, a lowered rate or a warm-up
 * lets only some mail leave, and the rest stays due.
 */
async function isLate(
  op: Operation,
  companyId: string,
  lanes: readonly WaitingLane[],
  { since, isDelivering }: LookFacts,
): Promise<boolean> {
  if (!lanes.some((lane) => isDueSince(lane, since))) return false
  // The end of a pause counts as the time at which its mail became due.
  const dueAt = await op.store.oldestDueOf(companyId, op.now())
  if (dueAt === null || dueAt > since) return false
  return !(await isDelivering()) || !(await wasAnyTried(op, companyId, since))
}

async function hasDeliveryNode({ store }: Operation): Promise<boolean> {
  // Nodes without a sign of life are given up: their rows are removed.
  return (await store.nodes()).some(({ roles }) => roles.includes('delivery'))
}

async function wasAnyTried({ store, now }: Operation, companyId: string, since: number): Promise<boolean> {
  const counts = await store.countEvents({
    companyId,
    domainId: null,
    size: 'minute',
    dimension: 'total',
    value: null,
    most: MOST_COUNTS,
    since: Math.floor(since / MINUTE) * MINUTE,
    until: now() + MINUTE,
  })
  return counts === null || counts.some(({ type, n }) => n > 0 && OF_ATTEMPTS.has(type))
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
    ofCompany.toSorted((a, b) => a.oldestAt! - b.oldestAt!).slice(0, MOST_LOOKED_UP),
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
    advice: 'The mail is tried again by itself: the overview shows when.',
    memberAdvice: 'The mail is tried again by itself: the overview shows when.',
  }
}

function dueMail(op: Operation, companyId: string): NewAlert {
  return {
    ...subject(op, companyId),
    found: 'Mail has been due for an hour, and was not tried.',
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
