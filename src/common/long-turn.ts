/**
 * The present turn of the event loop. One turn reads everything that many clients have sent at once, and until it is
 * over the thread serves no other input. So a reader checks how long the turn has lasted, and leaves the rest to the
 * next one.
 */

/** Ms of work after which a turn is long: a few such pieces of work, each of some ms, still leave it below 50. */
const LONG = 15

class LoopTurn {
  readonly #waits = performance.nodeTiming
  /** The start of the turn, in ms of the clock without the loop's idle time; null: not checked yet. */
  #startedAt: number | null = null
  readonly #end = () => {
    this.#startedAt = null
  }

  /** True when the turn has lasted long enough. The first check in a turn starts the count. */
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

export const turn = new LoopTurn()
