import { monotonic } from '../../common/clock.ts'
import type { ProbePauses } from './probe-pauses.ts'

/** The longest time (ms) for which a host is not asked. The retries of mail have their own schedule. */
const LONGEST_MS = 10 * 60_000
/** Milliseconds in which one caller finds out whether a host is back; after that, another caller may ask. */
const PROBE_MS = 60_000
/** The most hosts remembered; the one that failed longest ago is forgotten. */
const MAX_HOSTS = 10_000

interface UnreachableHost {
  since: number
  /** The time of the next probe. */
  until: number
}

/**
 * Hosts that could not be reached a moment ago, by address and port, for all mail: a dead host costs its time-out once
 * in a while, not once for each message. When the pause is over, one caller asks again, alone.
 */
export class HostMemory {
  readonly #hosts = new Map<string, UnreachableHost>()
  readonly #pauses: Pick<ProbePauses, 'after'>
  readonly #now: () => number

  constructor(pauses: Pick<ProbePauses, 'after'>, now: () => number = monotonic) {
    this.#pauses = pauses
    this.#now = now
  }

  /** Milliseconds until the host is asked again; 0: ask it now, then call `recordSuccess` or `recordFailure`. */
  waits(host: string): number {
    if (this.#hosts.size === 0) return 0
    const known = this.#hosts.get(host)
    if (known === undefined) return 0
    const now = this.#now()
    if (now < known.until) return known.until - now
    // This caller asks; the others wait for its result.
    known.until = now + PROBE_MS
    return 0
  }

  /** True for a host that could not be reached the last time, whether or not it is time to ask again. */
  isUnreachable(host: string): boolean {
    return this.#hosts.has(host)
  }

  recordSuccess(host: string): void {
    if (this.#hosts.size > 0) this.#hosts.delete(host)
  }

  /** `begunAt`: when the host was asked, on the monotonic clock. */
  recordFailure(host: string, begunAt: number): void {
    const now = this.#now()
    const known = this.#hosts.get(host)
    const since = known?.since ?? begunAt
    this.#hosts.delete(host)
    const pause = Math.min(LONGEST_MS, this.#pauses.after(now - since))
    this.#hosts.set(host, { since, until: now + pause })
    if (this.#hosts.size > MAX_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!)
  }
}
