import { CompanyTurns } from './company-turns.ts'

/**
 * Turns at this thread. Work that is done on the spot keeps everybody waiting: little each time, but fifty such pieces
 * at once would be one long stall. So one piece is begun in each turn of the event loop, between which everything else
 * is answered, and parties (companies or addresses) take turns.
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
    // One at least, so that a thread that is busy with other work goes on with this, too.
    const work = this.#waiting.take()
    // Before the work, which may throw.
    this.#schedule()
    work?.()
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.take()!()
  }
}
