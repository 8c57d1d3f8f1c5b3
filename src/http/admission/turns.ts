import { CompanyTurns } from '../../common/company-turns.ts'

/**
 * Turns at the main thread. What is read on the spot keeps everybody waiting while it is read: little each time, but
 * fifty such requests at once would be one long stall. So of those that are more than a usual mail one is begun in each
 * turn of the event loop, between which everything else is answered, and companies take turns.
 */
export class Turns {
  readonly #waiting = new CompanyTurns<() => void>()
  #scheduled = false

  /** Calls `begin` when it is this company's turn. */
  take(companyId: string, begin: () => void): void {
    this.#waiting.push(companyId, begin)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    const begin = this.#waiting.take()
    this.#schedule()
    begin?.()
  }
}
