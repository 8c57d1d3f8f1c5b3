/** Ready deliveries, by company and path. */
import { Tally } from '../common/tally.ts'
import { LARGE_MESSAGE } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { Fifo } from './fifo.ts'
import type { RecentCount } from './recent-count.ts'

/** The deliveries of one company for one path, in order. */
export class PathLane {
  readonly company: CompanyQueue
  readonly state: PathState
  readonly waiting = new Fifo<ReadyDelivery>()
  /**
   * True: the lane is in the company's ring, parked at a path without a free session, or set aside. False: the lane is
   * empty.
   */
  queued = false
  constructor(company: CompanyQueue, state: PathState) {
    this.company = company
    this.state = state
  }
}

/** The current use of a path. */
export class PathState {
  busy = 0
  /** Busy sessions of each company. */
  readonly busyOf = new Tally()
  /** Lanes of the path; the path is forgotten when it has none and no session is busy. */
  lanes = 0
  /** Deliveries begun of late; null: not counted. */
  begun: RecentCount | null = null
  /** Lanes that have work but wait for a session of this path, oldest first. */
  readonly parked = new Fifo<PathLane>()
  /** The newest path object with this key: the limits of a site may change. */
  path: Path
  constructor(path: Path) {
    this.path = path
  }
}

export class CompanyQueue {
  busy = 0
  /** Octets of large messages under way. */
  largeBytes = 0
  /** Lanes that can be served now, in turn. */
  readonly ring = new Fifo<PathLane>()
  /** By key of the path. */
  readonly lanes = new Map<string, PathLane>()
  queued = false
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

/** The companies with ready deliveries or busy sessions, and the paths of these. */
export class ReadyLanes {
  /** By id. */
  readonly companies = new Map<string, CompanyQueue>()
  /** By key of the path. */
  readonly paths = new Map<string, PathState>()

  company(id: string): CompanyQueue {
    let company = this.companies.get(id)
    if (company === undefined) {
      company = new CompanyQueue(id)
      this.companies.set(id, company)
    }
    return company
  }

  stateOf(path: Path): PathState {
    let state = this.paths.get(path.key)
    if (state === undefined) {
      state = new PathState(path)
      this.paths.set(path.key, state)
    }
    return state
  }

  /** Forgets a company and a path of which nothing is left. */
  forget(company: CompanyQueue, state: PathState): void {
    if (state.busy === 0 && state.lanes === 0) this.paths.delete(state.path.key)
    if (company.busy === 0 && company.lanes.size === 0) this.companies.delete(company.id)
  }

  /** The company's deliveries that wait here for the path. */
  waitingFor(companyId: string, path: Path): number {
    return this.companies.get(companyId)?.lanes.get(path.key)?.waiting.length ?? 0
  }

  /** Busy sessions on this path, or those of one company. */
  busyOn(path: Path, companyId?: string): number {
    const state = this.paths.get(path.key)
    return (companyId === undefined ? state?.busy : state?.busyOf.of(companyId)) ?? 0
  }

  /** The deliveries that wait here, in no particular order. None may be added or taken during the iteration. */
  *deliveries(): Generator<ReadyDelivery> {
    for (const { lanes } of this.companies.values()) for (const lane of lanes.values()) yield* lane.waiting
  }
}

/** Octets of the delivery, if its message is a large one; otherwise 0. */
export function largeBytes({ messageSize }: ReadyDelivery): number {
  return messageSize < LARGE_MESSAGE ? 0 : messageSize
}
