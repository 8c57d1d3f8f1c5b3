/**
 * Milliseconds on a clock that never steps and that all threads of the process share; `performance.now()` counts from
 * the start of its own thread.
 */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

/** Ms for which the wall clock keeps to a step before it is taken to be right. */
const CONFIRMED_AFTER = 15 * 60_000
/** Ms: smaller differences are no step. */
const SAME = 1_000

/** The wall clock without its steps, until a step has lasted: a machine was asleep, or its clock was set right. */
export class SteadyClock {
  readonly #wall: () => number
  readonly #elapsed: () => number
  /** Unix ms of the wall clock, without its steps, at the moment when `#elapsed` was 0. */
  #base: number
  /** The step that the wall clock keeps to: ms, and when that was first seen. */
  #step = { by: 0, seenAt: 0 }

  /** `wall` in Unix ms; `elapsed` in ms of a clock that never steps. */
  constructor(wall: () => number = Date.now, elapsed: () => number = monotonic) {
    this.#wall = wall
    this.#elapsed = elapsed
    this.#base = wall() - elapsed()
  }

  /** Unix ms. */
  now(): number {
    const elapsed = this.#elapsed()
    const by = this.#wall() - elapsed - this.#base
    if (Math.abs(by - this.#step.by) > SAME) this.#step = { by, seenAt: elapsed }
    else if (elapsed - this.#step.seenAt >= CONFIRMED_AFTER) {
      this.#base += by
      this.#step = { by: 0, seenAt: elapsed }
    }
    return this.#base + elapsed
  }
}

const steady = new SteadyClock()

/** Unix ms as they would be without the recent steps of the wall clock. */
export function steadyNow(): number {
  return steady.now()
}

/** Ms by which the wall clock, which shows `now`, is ahead of the clock of the process; 0: it is not ahead. */
export function aheadBy(now: number): number {
  return Math.max(0, now - Math.floor(steadyNow()))
}
