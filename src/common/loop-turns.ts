import { CompanyTurns } from './company-turns.ts'

/**
 * Turns for synchronous work, which blocks this thread: fifty short pieces in a row would be one long stall. So each
 * turn of the event loop begins one piece, other work runs in between, and parties (companies or addresses) take turns.
 */
export class LoopTurns {
  readonly #hasTime: () => boolean
  readonly #waiting = new CompanyTurns<() => void>()
  #scheduled = false

  /** `hasTime`: whether the present turn of the event loop has time for another piece. */
  constructor(hasTime: () => boolean = () => false) {
    this.#hasTime = hasTime
  }

  get length(): number {
    return this.#waiting.length
  }

  /** Calls `work` when it is the party's turn. */
  take(party: string, work: () => void): void {
    this.#waiting.push(party, work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    // At least one piece, so that the work goes on even if the thread is busy with other work.
    const work = this.#waiting.take()
    // Before the work, which may throw.
    this.#schedule()
    work?.()
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.take()!()
  }
}
