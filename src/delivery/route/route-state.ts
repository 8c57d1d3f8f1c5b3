/** The state that all walks of a route share: sessions, unreachable hosts, and whether IPv6 works. */
import { RecentEntries } from '../../common/recent-entries.ts'
import type { RouteKind } from '../judge/judge.ts'
import { Ipv6Reachability } from './addresses.ts'
import { HostMemory } from './host-memory.ts'
import type { ProbePauses } from './probe-pauses.ts'
import type { PooledSession, SessionPool } from './session-pool.ts'
import type { WalkLimits } from './walk-limits.ts'

/** Milliseconds for which a server gets no envelope behind a final dot after it has not taken one. */
const APART_MS = 24 * 3_600_000

export class RouteState {
  readonly route: RouteKind
  readonly limits: WalkLimits
  readonly pool: SessionPool
  readonly hosts: HostMemory
  readonly ipv6 = new Ipv6Reachability()
  /** Keys of servers that have not taken an envelope behind a final dot. */
  readonly #dotsApart = new RecentEntries<true>(10_000, { ttl: APART_MS })

  constructor(route: RouteKind, limits: WalkLimits, pauses: ProbePauses, pool: SessionPool) {
    this.route = route
    this.limits = limits
    this.pool = pool
    this.hosts = new HostMemory(pauses)
  }

  takesNext(pooled: PooledSession, key: string): boolean {
    return this.pool.takesNext(pooled) && !this.#dotsApart.has(key)
  }

  /** The server has lost, refused or ignored an envelope behind a final dot: none is written there for a day. */
  keepDotsApart(key: string): void {
    this.#dotsApart.set(key, true)
  }
}
