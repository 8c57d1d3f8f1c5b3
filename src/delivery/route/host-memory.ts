import { monotonic } from '../../common/clock.ts'
import type { ProbePauses } from './probe-pauses.ts'

/** Mail waits by its own schedule beside this one; longer than so (ms) no host is left alone. */
const LONGEST_MS = 10 * 60_000
/** Whoever asks whether it is back has so long (ms) to find out. */
const PROBE_MS = 60_000
/** Hosts remembered at most; the oldest is forgotten. */
const MAX_HOSTS = 10_000

interface Unreachable {
  since: number
  /** When it is asked again. */
  until: number
}

/**
 * Hosts that could not be reached a moment ago, by address and port, for all mail: a dead one costs its time-out once
 * in a while, not once for each message. When its time is over one asks again, alone.
 */
export class HostMemory {
  readonly #hosts = new Map<string, Unreachable>()
  readonly #pauses: Pick<ProbePauses, 'after'>
  readonly #now: () => number

  constructor(pauses: Pick<ProbePauses, 'after'>, now: () => number = monotonic) {
    this.#pauses = pauses
    this.#now = now
  }

  /** Milliseconds until it is asked again; 0: ask it now. Then `reached` or `failed` must be told. */
  waits(host: string): number {
    if (this.#hosts.size === 0) return 0
    const known = this.#hosts.get(host)
    if (known === undefined) return 0
    const now = this.#now()
    if (now < known.until) return known.until - now
    // The one that asks; the others wait for it.
    known.until = now + PROBE_MS
    return 0
  }

  reached(host: string): void {
    if (this.#hosts.size > 0) this.#hosts.delete(host)
  }

  /** `begunAt`: when it was asked, on the monotonic clock. */
  failed(host: string, begunAt: number): void {
    const now = this.#now()
    const known = this.#hosts.get(host)
    const since = known?.since ?? begunAt
    this.#hosts.delete(host)
    const pause = Math.min(LONGEST_MS, this.#pauses.after(now - since))
    this.#hosts.set(host, { since, until: now + pause })
    if (this.#hosts.size > MAX_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!)
  }
}
