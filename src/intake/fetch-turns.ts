/** Who may fetch a file now: many files of one company, from servers that take their time, keep no other waiting. */
import { CompanyTurns } from '../common/company-turns.ts'
import { SharedPool } from '../common/shared-pool.ts'

/** Files that are fetched at once, those of all companies together. */
const AT_ONCE = 64
const KEPT = 8

interface Turn {
  /** False when nobody waits for it any more. */
  begin(): boolean
}

/** The same pool for all: who is alone may take half of it, and there is always some for who has nothing yet. */
export class FetchTurns {
  readonly #pool = new SharedPool({ size: AT_ONCE, kept: KEPT, timesFree: 1 })
  readonly #held = new Map<string, number>()
  readonly #waiting = new CompanyTurns<Turn>()

  /** For the metrics and tests: files that are being fetched. */
  get taken(): number {
    return this.#pool.taken
  }

  /** Resolves when it is the company's turn; what it gives ends it. Rejects with the reason of the signal. */
  async take(company: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.waiting(company) === 0 && this.#allows(company)) return this.#begin(company)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#waiting.push(company, {
      begin: () => {
        if (signal.aborted) return false
        signal.removeEventListener('abort', abort)
        resolve(this.#begin(company))
        return true
      },
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
    for (let turn = this.#waiting.take(allowed); turn !== null; turn = this.#waiting.take(allowed))
      turn.begin()
  }
}
