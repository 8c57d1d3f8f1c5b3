/**
 * When a recipient is tried again. RFC 5321 4.5.4.1: intervals that grow, until at least four to five days are over.
 * Each wait gets up to a tenth of itself on top, so that the deliveries of an outage do not all come back at once;
 * never less than the wait, because greylisting servers count minutes.
 */
export class RetrySchedule {
  /** Milliseconds. */
  readonly waits: readonly number[]
  readonly #random: () => number

  /** Waits in milliseconds. */
  constructor(waits: readonly number[], random: () => number = Math.random) {
    this.waits = waits
    this.#random = random
  }

  /** Milliseconds from the first attempt to the last, at least. */
  get lasts(): number {
    return this.waits.reduce((sum, wait) => sum + wait, 0)
  }

  /**
   * For the recipients of one attempt, from the number of attempts a recipient has behind it to the Unix ms of its next
   * one; null when the schedule is at its end. They vary alike: what was deferred in one transaction comes back in one
   * transaction.
   */
  after(now: number): (attemptsMade: number) => number | null {
    const jitter = 1 + this.#random() / 10
    return (attemptsMade) => {
      const wait = this.waits[attemptsMade - 1]
      return wait === undefined ? null : Math.round(now + wait * jitter)
    }
  }
}
