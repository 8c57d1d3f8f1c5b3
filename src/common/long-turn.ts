/**
 * The present turn of the event loop. One turn reads everything that many clients have sent at once, and until it is
 * over the thread hears nobody else. So a reader looks how long the turn has lasted, and leaves the rest to the next
 * one.
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

  /** The turn has lasted for long enough. The first look at it begins the count. */
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
