/**
 * Companies whose mail waits for an hour without being tried: it is due, or held for a closed path. Mail that its own
 * server has put off waits for the retry schedule, which takes days, and does not count.
 */
import { serversNamed } from '../../delivery/path/path.ts'
import { isOfOthers } from '../../email/not-attempted.ts'
import type { NewAlert, QueueLane, SiteClosure } from '../../store/store.ts'
import { sitesInTime, wordsFor } from '../closures.ts'
import { presentClosures } from '../present-closures.ts'
import type { Operation } from '../verb.ts'
import { lanePauses, recentLanes, routeSites } from '../waiting-lanes.ts'
import { nameOf } from './company-name.ts'

const WAITS_MS = 3_600_000
/** Held lanes of a company whose site is looked up: those of the oldest mail. */
const MOST_HELD = 5

export async function waitingMail(op: Operation): Promise<NewAlert[]> {
  const present = await op.store.pauses(op.now())
  const { lanes, sites } = await recentLanes(op, undefined, present)
  const { cover } = lanePauses(op, present, sites)
  const since = op.now() - WAITS_MS
  const waiting = lanes.filter((lane) => lane.waiting > 0 && !cover(lane))
  const closureOf = await longClosures(op, waiting, since)
  const found: NewAlert[] = []
  for (const [companyId, all] of Map.groupBy(waiting, (lane) => lane.companyId)) {
    const held = all.find((lane) => closureOf.has(lane))
    if (held !== undefined) found.push(heldMail(op, held, closureOf.get(held)!))
    else if (await isDueSince(op, all, since)) found.push(dueMail(op, companyId))
  }
  return found
}

/** The end of a pause counts as the time at which its mail became due, as the store knows. */
async function isDueSince(op: Operation, [first, ...more]: QueueLane[], since: number): Promise<boolean> {
  const lanes = first === undefined ? [] : [first, ...more]
  if (!lanes.some(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= since)) return false
  const dueAt = await op.store.oldestDue(op.now(), first!.companyId)
  return dueAt !== null && dueAt <= since
}

/** The closures that have held mail of a lane since then. */
async function longClosures(
  op: Operation,
  lanes: readonly QueueLane[],
  since: number,
): Promise<ReadonlyMap<QueueLane, SiteClosure>> {
  // A claim leaves out mail of closed paths: it stays due.
  const held = lanes.filter(
    ({ lastMessage, oldestAt, nextDueAt }) =>
      oldestAt !== null &&
      oldestAt <= since &&
      (isOfOthers(lastMessage) || (nextDueAt !== null && nextDueAt <= since)),
  )
  const looked = [...Map.groupBy(held, ({ companyId }) => companyId).values()].flatMap((ofCompany) =>
    ofCompany.toSorted((a, b) => a.oldestAt! - b.oldestAt!).slice(0, MOST_HELD),
  )
  if (looked.length === 0) return new Map()
  const siteOfRoute = routeSites(op)
  const direct = looked.filter(({ companyId }) => siteOfRoute(companyId) === null)
  const sites = await sitesInTime(op, new Set(direct.map(({ domain }) => domain)))
  const closures = await presentClosures(op)
  return new Map(
    looked.flatMap((lane) => {
      const { companyId, domain: to } = lane
      const site = siteOfRoute(companyId) ?? sites.get(to)
      if (site === undefined) return []
      const mail = { companyId, sendingDomain: null, to, servers: serversNamed(site.serversKey ?? '') }
      const closed = closures.of(mail, site.key)
      return closed === null || closed.since > since ? [] : [[lane, closed] as const]
    }),
  )
}

function heldMail(op: Operation, { companyId, domain }: QueueLane, closed: SiteClosure): NewAlert {
  const why = wordsFor(companyId, closed)
  return {
    ...subject(op, companyId),
    found: `Mail to ${domain} has waited for an hour: ${why.replace(/\.$/, '')}.`,
    advice: 'The mail is tried again by itself (postroad queue --by site).',
    memberAdvice: 'The mail is tried again by itself: the overview shows when.',
  }
}

function dueMail(op: Operation, companyId: string): NewAlert {
  return {
    ...subject(op, companyId),
    found: 'Mail has been due for an hour, and was not tried.',
    advice: 'Check that a delivery node runs (postroad node list), and its log.',
    memberAdvice: 'Ask the operator of this service.',
  }
}

function subject(op: Operation, companyId: string): Pick<NewAlert, 'companyId' | 'id' | 'title'> {
  return { id: `waiting:${companyId}`, companyId, title: `Waiting mail of ${nameOf(op, companyId)}` }
}
