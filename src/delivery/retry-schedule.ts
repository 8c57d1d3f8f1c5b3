/**
 * When a recipient is tried again. RFC 5321 4.5.4.1: intervals that grow, for days. Each wait gets up to a tenth of itself
 * on top, so that what was deferred together does not come back together; never less than the wait, because greylisting
 * servers count minutes.
 */
export class RetrySchedule {
  readonly #waits: readonly number[]
  readonly #random: () => number

  /** Waits in milliseconds. */
  constructor(waits: readonly number[], random: () => number = Math.random) {
    this.#waits = waits
    this.#random = random
  }

  /** Unix ms of the next attempt after this many made, or null when the schedule is at its end. */
  next(attemptsMade: number, now: number): number | null {
    const wait = this.#waits[attemptsMade - 1]
    if (wait === undefined) return null
    return Math.round(now + wait * (1 + this.#random() / 10))
  }
}
