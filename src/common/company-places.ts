/**
 * Places that companies share, and turns for those that wait for one: a company that takes many does not hold up
 * another.
 */
import { CompanyTurns } from './company-turns.ts'
import { type PoolShape, SharedPool } from './shared-pool.ts'
import { Tally } from './tally.ts'

export class CompanyPlaces {
  readonly #pool: SharedPool
  readonly #held = new Tally()
  /** Calls that take a place, unless the caller no longer waits. */
  readonly #waiting = new CompanyTurns<() => void>()

  constructor(shape: PoolShape) {
    this.#pool = new SharedPool(shape)
  }

  /** Waiting calls of this company, including aborted ones whose turn has not come. */
  waiting(company: string): number {
    return this.#waiting.waiting(company)
  }

  /** The function that gives the place back; null: the company would have to wait for one. */
  takeFree(company: string): (() => void) | null {
    return this.waiting(company) === 0 && this.#allows(company) ? this.#begin(company) : null
  }

  /** Resolves when it is the company's turn, with the function that ends it. Rejects with the reason of the signal. */
  async take(company: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const free = this.takeFree(company)
    if (free !== null) return free
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
    return this.#pool.allows(this.#held.of(company))
  }

  #begin(company: string): () => void {
    this.#pool.take(1)
    this.#held.add(company, 1)
    return () => {
      this.#pool.give(1)
      this.#held.add(company, -1)
      this.#next()
    }
  }

  #next(): void {
    const allowed = (company: string) => this.#allows(company)
    for (let begin = this.#waiting.take(allowed); begin !== null; begin = this.#waiting.take(allowed)) begin()
  }
}
