/**
 * Places that companies share, and turns for those that wait for one: a company that takes many does not hold up
 * another.
 */
import { CompanyTurns } from './company-turns.ts'
import { type PoolShape, SharedPool } from './shared-pool.ts'

export class CompanyPlaces {
  readonly #pool: SharedPool
  readonly #held = new Map<string, number>()
  /** Calls that take a place, unless the caller no longer waits. */
  readonly #waiting = new CompanyTurns<() => void>()

  constructor(shape: PoolShape) {
    this.#pool = new SharedPool(shape)
  }

  /** Waiting calls of this company, including aborted ones whose turn has not come. */
  waiting(company: string): number {
    return this.#waiting.waiting(company)
  }

  /** Resolves when it is the company's turn, with the function that ends it. Rejects with the reason of the signal. */
  async take(company: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.waiting(company) === 0 && this.#allows(company)) return this.#begin(company)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const abort = () => reject(signal!.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(company, () => {
      if (signal?.aborted) return
      signal?.removeEventListener('abort', abort)
      resolve(this.#begin(company))
    })
    return promise
  }

  #allows(company: string): boolean {
    return this.#pool.allows(this.#held.get(company) ?? 0)
  }

  #begin(company: string): () => void {
    this.#pool.take(1)
    this.#held.set(company, (this.#held.get(company) ?? 0) + 1)
    return () => {
      this.#pool.give(1)
      const held = this.#held.get(company)! - 1
      if (held === 0) this.#held.delete(company)
      else this.#held.set(company, held)
      this.#next()
    }
  }

  #next(): void {
    const allowed = (company: string) => this.#allows(company)
    for (let begin = this.#waiting.take(allowed); begin !== null; begin = this.#waiting.take(allowed)) begin()
  }
}
