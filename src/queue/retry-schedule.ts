import { type EndFacts, endOf } from '../email/give-up-time.ts'

/**
 * Decides when a recipient is tried again. RFC 5321 4.5.4.1: growing intervals, for at least four to five days. Each
 * wait gets up to a tenth of itself on top, so that mail delayed by an outage is not all tried at once; it is never
 * shorter, because greylisting servers count minutes.
 */
export class RetrySchedule {
  /** Milliseconds. */
  readonly waits: readonly number[]
  readonly #random: () => number
  readonly #deliverWithin: number | null

  /** `waits` and `deliverWithin` in milliseconds. */
  constructor(
    waits: readonly number[],
    random: () => number = Math.random,
    deliverWithin: number | null = null,
  ) {
    this.waits = waits
    this.#random = random
    this.#deliverWithin = deliverWithin
  }

  /** Unix ms from which the email is not tried any more; null: the waits alone end it. */
  endOf(email: EndFacts): number | null {
    return endOf(email, this.#deliverWithin)
  }

  /** Milliseconds from the first attempt to the last, at least. */
  get lasts(): number {
    return this.waits.reduce((sum, wait) => sum + wait, 0)
  }

  /**
   * For the recipients of one attempt: maps the number of attempts made to the Unix ms of the next one; null at the end
   * of the schedule. All of them get the same jitter, so recipients deferred in one transaction come back in one
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
