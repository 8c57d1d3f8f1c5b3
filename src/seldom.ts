/** Keeps the same trouble from being told to the log each time it is met: at first, and then once in so many milliseconds. */
export class Seldom {
  readonly #everyMs: number
  readonly #now: () => number
  #toldAt = Number.NEGATIVE_INFINITY
  #passedOver = 0

  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs
    this.#now = now
  }

  /** Null when it is not to be told now; else how often it was passed over since it was last told. */
  met(): number | null {
    const now = this.#now()
    if (now - this.#toldAt < this.#everyMs) {
      this.#passedOver += 1
      return null
    }
    const passedOver = this.#passedOver
    this.#toldAt = now
    this.#passedOver = 0
    return passedOver
  }

  /** It has ended: another one is told at once. */
  over(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY
    this.#passedOver = 0
  }
}
