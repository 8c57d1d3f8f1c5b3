import type { DeliveryResult } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import { LEAST_WAITING } from '../delivery/path/path-finder.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { Extent } from './evidence.ts'
import type { NodeShares } from './node-shares.ts'
import { Pacing } from './pacing.ts'
import { companyKey } from './path-part.ts'
import type { ReadyQueues } from './ready-queues.ts'
import { SessionLimits } from './session-limits.ts'

/** Evidence of an attempt about the limits of its path. */
interface ThrottleResult {
  /** The servers take no more mail: nothing can be lowered any further, or they asked for a long wait. */
  exhausted: boolean
  /** Unix ms until which the servers asked us to wait; null: they did not. */
  notBefore: number | null
}

/** The beginning of a delivery. */
export interface DeliveryStart {
  /** On the monotonic clock. */
  at: number
  /** Busy sessions on its path then, of all companies and of its own. */
  busy: Record<'all' | 'company', number>
}

/** The longest wait that servers ask for and that their mail spends in memory, in milliseconds. */
const LONGEST_IN_MEMORY_MS = 60_000

const NOTHING: ThrottleResult = { exhausted: false, notBefore: null }

/**
 * Decides how many sessions and messages a path, and each company on it, may have, by the limits of the path and the
 * replies of its servers.
 */
export class Throttle {
  readonly sessions: SessionLimits
  readonly pacing: Pacing

  constructor(free: (paths: readonly string[]) => void, shares: NodeShares) {
    this.sessions = new SessionLimits(undefined, shares)
    this.pacing = new Pacing(free, undefined, shares)
  }

  /** Sessions that the company may have on the path at once. */
  sessionsOf(path: Path, companyId: string): number {
    const key = companyKey(path.key, companyId)
    return this.sessions.knows(key) ? this.sessions.limitOf({ ...path, key }) : Number.POSITIVE_INFINITY
  }

  /** The most deliveries of the company that wait in memory for the path: as many as leave within about a minute. */
  mostWaiting({ key, limits }: Path, companyId: string): number {
    const [all, own] = [this.pacing.loweredOf(key), this.pacing.loweredOf(companyKey(key, companyId))]
    if (all === null && own === null) return limits.waiting
    return Math.min(limits.waiting, Math.max(LEAST_WAITING, Math.min(all ?? Infinity, own ?? Infinity)))
  }

  /** Whether the company may send another message on the path now. */
  takesMore(path: Path, companyId: string): boolean {
    const key = companyKey(path.key, companyId)
    return !this.pacing.knows(key) || this.pacing.takesMore({ ...path, key })
  }

  begun({ path, email }: ReadyDelivery): void {
    this.pacing.begun(path)
    const key = companyKey(path.key, email.companyId)
    if (this.pacing.knows(key)) this.pacing.begun({ ...path, key })
  }

  /** Learns from a delivery that still counts among the busy sessions. `extent`: whom its trouble concerns. */
  ended(
    { path, email }: ReadyDelivery,
    result: DeliveryResult,
    extent: Extent | null,
    queues: Pick<ReadyQueues, 'busyOn'>,
    begun: DeliveryStart,
  ): ThrottleResult {
    const { pathTrouble, outcomes, server } = result
    const own = { ...path, key: companyKey(path.key, email.companyId) }
    if (outcomes.some(({ verdict }) => verdict === 'delivered')) this.pacing.accepted(path, own)
    if (pathTrouble === undefined) {
      if (server !== null) for (const each of [path, own]) this.sessions.well(each)
      return NOTHING
    }
    if (pathTrouble.kind !== 'busy' || extent === null || extent.limits === null) return NOTHING
    const limited = extent.limits === 'all' ? path : own
    const busy = extent.limits === 'all' ? queues.busyOn(path) : queues.busyOn(path, email.companyId)
    // The server counted them between the two times. The smaller number may be that of a delivery alone, which would
    // close the path.
    const fewer = this.sessions.tooMany(limited, Math.max(begun.busy[extent.limits], busy), begun.at)
    const slower = pathTrouble.excess === 'messages' && this.pacing.tooMany(limited, begun.at, path)
    const isLowest = !fewer && !slower
    const { excess, waitMs } = pathTrouble
    if (waitMs === undefined) {
      if (isLowest && excess === 'messages') this.pacing.beginAnew(limited)
      return { exhausted: isLowest, notBefore: null }
    }
    // For a longer time mail waits in the store, where it can be retried and canceled.
    const isLong = waitMs > LONGEST_IN_MEMORY_MS
    const exhausted = isLowest || isLong
    // A wait that a recipient may have caused delays only the mail to its domain, which is closed for that time.
    if (isLong || extent.part.to !== null) return { exhausted, notBefore: null }
    return { exhausted, notBefore: Date.now() + this.pacing.pause(limited, waitMs) }
  }
}
