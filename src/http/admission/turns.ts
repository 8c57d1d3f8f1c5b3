/**
 * Turns at the main thread. What is read on the spot keeps everybody waiting while it is read: little each time, but fifty such requests at
 * once would be one long stall. So of those that are more than a usual mail one is begun in each turn of the event loop, between which
 * everything else is answered, and companies take turns.
 */
export class Turns {
  readonly #companies = new Map<string, (() => void)[]>()
  #scheduled = false

  /** Calls `begin` when it is this company's turn. */
  take(companyId: string, begin: () => void): void {
    const waiting = this.#companies.get(companyId)
    if (waiting === undefined) this.#companies.set(companyId, [begin])
    else waiting.push(begin)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#companies.size === 0) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    for (const [companyId, waiting] of this.#companies) {
      const begin = waiting.shift()!
      // To the end of the line.
      this.#companies.delete(companyId)
      if (waiting.length > 0) this.#companies.set(companyId, waiting)
      this.#schedule()
      begin()
      return
    }
  }
}
