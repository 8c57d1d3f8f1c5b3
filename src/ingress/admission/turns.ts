import { CompanyTurns } from '../../common/company-turns.ts'

/**
 * Turns for the main thread. A body that is read there blocks everything else: briefly each time, but fifty such
 * requests at once would be one long stall. So each turn of the event loop begins one request larger than a usual mail;
 * in between everything else is served, and companies take turns.
 */
export class Turns {
  readonly #waiting = new CompanyTurns<() => void>()
  #scheduled = false

  /** Calls `begin` when the company's turn has come. */
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
