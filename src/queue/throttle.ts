import type { DeliveryResult, HindranceReport } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import { Pacing } from './pacing.ts'
import type { ReadyQueues } from './ready-queues.ts'
import { SessionLimits } from './session-limits.ts'

/** Evidence of an attempt about the limits of its path. */
export interface ThrottleResult {
  /** The servers take no more mail, although nothing could be lowered any further. */
  exhausted: boolean
  /** Unix ms until which the servers asked us to wait; null: they did not. */
  notBefore: number | null
}

const NOTHING: ThrottleResult = { exhausted: false, notBefore: null }

/** How many sessions and messages a path may have: by its limits, and by what its servers say. */
export class Throttle {
  readonly sessions = new SessionLimits()
  readonly pacing: Pacing

  constructor(free: (paths: readonly string[]) => void) {
    this.pacing = new Pacing(free)
  }

  set nodes(count: number) {
    this.sessions.nodes = count
    this.pacing.nodes = count
  }

  /** Learns from a delivery that began at `begunAt` (monotonic) and still counts among the busy sessions. */
  ended(
    path: Path,
    result: DeliveryResult,
    queues: Pick<ReadyQueues, 'busyOn'>,
    begunAt: number,
  ): ThrottleResult {
    const { hindrance, outcomes, server } = result
    if (outcomes.some(({ verdict }) => verdict === 'delivered')) this.pacing.accepted(path)
    if (hindrance === undefined) {
      if (server !== null) this.sessions.well(path)
      return NOTHING
    }
    if (hindrance.kind !== 'busy' || !hindrance.wide) return NOTHING
    const fewer = this.sessions.tooMany(path, queues.busyOn(path), begunAt)
    const slower = hindrance.excess === 'messages' && this.pacing.tooMany(path, begunAt)
    return { exhausted: !fewer && !slower, notBefore: this.#pause(path, hindrance) }
  }

  #pause(path: Path, { waitMs }: HindranceReport): number | null {
    return waitMs === undefined ? null : Date.now() + this.pacing.pause(path, waitMs)
  }
}
