/** Keeps the same trouble from filling the log: it is told at first, and then at most once in so many milliseconds. */
export class LogThrottle {
  readonly #everyMs: number
  readonly #now: () => number
  #toldAt = Number.NEGATIVE_INFINITY
  #omitted = 0

  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs
    this.#now = now
  }

  /** The trouble was met. Null when it is not to be told now; else how often it was left out since it was last told. */
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

  /** The trouble has ended: the next one is told at once. */
  reset(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY
    this.#omitted = 0
  }
}
