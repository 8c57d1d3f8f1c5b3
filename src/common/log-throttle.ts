/**
 * Keeps a repeated problem from filling the log: it is logged at once, and then at most once in a number of
 * milliseconds.
 */
export class LogThrottle {
  readonly #everyMs: number
  readonly #now: () => number
  #toldAt = Number.NEGATIVE_INFINITY
  #omitted = 0

  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs
    this.#now = now
  }

  /**
   * Must be called each time the problem occurs. Null: it should not be logged now; otherwise how often it was left out
   * since it was last logged.
   */
  due(): number | null {
    const now = this.#now()
    if (now - this.#toldAt < this.#everyMs) {
      this.#omitted += 1
      return null
    }
    const omitted = this.#omitted
    this.#toldAt = now
    this.#omitted = 0
    return omitted
  }

  /** The problem is over: the next one is logged at once. */
  reset(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY
    this.#omitted = 0
  }
}
