/**
 * The turn of the event loop at hand. What many clients send at once is all brought in one turn, and until it is over
 * nobody else is heard; so what takes turns looks how long this one has been, and leaves the rest to the next.
 */

/** Ms of work after which a turn is long: a few such pieces of work, each of some ms, still leave it below 50. */
const LONG = 15

class Turn {
  readonly #waits = performance.nodeTiming
  /** Ms of work, by the clock without what the loop waited; null: nobody has looked yet. */
  #startedAt: number | null = null
  readonly #end = () => {
    this.#startedAt = null
  }

  /** It has lasted for long enough. Whoever looks first begins to count. */
  get isLong(): boolean {
    const at = performance.now() - this.#waits.idleTime
    if (this.#startedAt === null) {
      this.#startedAt = at
      setImmediate(this.#end)
      return false
    }
    return at - this.#startedAt > LONG
  }
}

export const turn = new Turn()
