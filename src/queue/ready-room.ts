/** How much more work may wait in memory: for a company on a path, and for all. */
import { monotonic } from '../common/clock.ts'
import type { Path } from '../delivery/path/path.ts'
import { LEAST_WAITING } from '../delivery/path/path-finder.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { Holdings } from './holdings.ts'
import type { PathState, ReadyLanes } from './ready-lanes.ts'
import { RecentCount } from './recent-count.ts'

export interface LimitedLane {
  companyId: string
  path: Path
  waiting: Iterable<ReadyDelivery>
  /** How many more deliveries may wait here; 0: the lane is full. */
  room: number
}

/** Companies and lanes that have no room for more work, or little. */
export interface FullQueues {
  companies: string[]
  /** Lanes of companies that have room, with less room than a claim may bring. */
  lanes: LimitedLane[]
}

/** A claim brings no more than this of one company. */
export const CLAIM_PER_COMPANY = 125

/** Where several nodes deliver, the deliveries that wait for each session. */
const WAITING_PER_SESSION = 2
/** Or as many as have begun within so many seconds, or as wait for the slowest site, if these are more. */
const BEGUN_WITHIN_S = 5

interface ReadyRoomParts {
  lanes: ReadyLanes
  holdings: Holdings
  /** How many sessions a path may have. */
  limitOf(path: Path): number
  /** The most deliveries of a company that wait for the path. */
  mostWaiting(path: Path, companyId: string): number
}

export class ReadyRoom {
  readonly #lanes: ReadyLanes
  readonly #holdings: Holdings
  readonly #limitOf: (path: Path) => number
  readonly #mostWaiting: (path: Path, companyId: string) => number
  /**
   * True: other nodes deliver as well. Then little waits here for a path that is slow, so that they get their share of
   * it.
   */
  shared = false

  constructor({ lanes, holdings, limitOf, mostWaiting }: ReadyRoomParts) {
    this.#lanes = lanes
    this.#holdings = holdings
    this.#limitOf = limitOf
    this.#mostWaiting = mostWaiting
  }

  /** Tells whether the company may add work for this path, beside deliveries that are to come. */
  hasRoom(companyId: string, path: Path, toCome = 0): boolean {
    const waiting = this.#lanes.waitingFor(companyId, path) + toCome
    return this.#holdings.allow(companyId) && waiting < this.#mostOf(path, companyId)
  }

  /**
   * Whether to fetch more work of this company for this path: before the lane is empty, but not for each place that
   * becomes free.
   */
  wants(companyId: string, path: Path): boolean {
    return (
      this.#holdings.allow(companyId, 2) &&
      this.#lanes.waitingFor(companyId, path) * 2 < this.#mostOf(path, companyId)
    )
  }

  full(): FullQueues {
    const full: FullQueues = { companies: this.#holdings.full(), lanes: [] }
    const companies = new Set(full.companies)
    for (const { id, lanes } of this.#lanes.companies.values()) {
      if (companies.has(id)) continue
      for (const { waiting, state } of lanes.values()) {
        const { path } = state
        const most = this.#mostOf(path, id)
        const room = Math.max(0, most - waiting.length)
        // A path that lets much wait is looked at when it is full: naming its domains costs more than it saves.
        if (room === 0 || most < CLAIM_PER_COMPANY) {
          full.lanes.push({ companyId: id, path, waiting, room })
        }
      }
    }
    return full
  }

  /** The most deliveries of one company that wait here for the path. */
  #mostOf(path: Path, companyId: string): number {
    const waiting = this.#mostWaiting(path, companyId)
    if (!this.shared) return waiting
    const sessions = this.#limitOf(path)
    if (sessions === 0) return 0
    const begun = this.#lanes.paths.get(path.key)?.begun?.total(monotonic()) ?? 0
    return Math.min(waiting, Math.max(WAITING_PER_SESSION * sessions, begun, LEAST_WAITING))
  }

  /** A delivery of this path has begun. */
  begun(state: PathState): void {
    if (!this.shared) return
    state.begun ??= new RecentCount(BEGUN_WITHIN_S, 1_000)
    state.begun.add(monotonic())
  }
}
