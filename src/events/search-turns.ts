/**
 * Turns of searches. Each step of one is small, but looking for what lies far apart takes many, and whoever has a key
 * may ask for hundreds at once. So few are under way at a time, those of one company in their order, and companies take
 * turns: what else is read never waits for all of a database's sessions.
 */
import { CompanyTurns } from '../common/company-turns.ts'
import { SharedPool } from '../common/shared-pool.ts'

/** Of one company alone two at a time; one place is kept for another. */
const PLACES = { size: 3, kept: 1, timesFree: 2 }
/** Searches of one company that may wait. */
const MOST_WAITING = 100
/** Seconds after which a company that found no turn may ask again. */
const RETRY_AFTER = 2

/** The company has too many searches under way: its turn did not come in time. */
export class SearchesBusy extends Error {
  override name = 'SearchesBusy'
  readonly retryAfter = RETRY_AFTER
}

interface Waiting {
  companyId: string
  begin(): void
  /** It was not its turn in time. */
  over: boolean
}

export class SearchTurns {
  readonly #places = new SharedPool(PLACES)
  readonly #underWay = new Map<string, number>()
  readonly #waiting = new CompanyTurns<Waiting>()

  /** Rejects with SearchesBusy where its turn does not come within so many ms. */
  async take<T>(companyId: string, patience: number, search: () => Promise<T>): Promise<T> {
    await this.#turn(companyId, patience)
    try {
      return await search()
    } finally {
      this.#end(companyId)
    }
  }

  async #turn(companyId: string, patience: number): Promise<void> {
    const before = this.#waiting.waiting(companyId)
    if (before === 0 && this.#mayBegin(companyId)) {
      this.#begin(companyId)
      return
    }
    if (before >= MOST_WAITING) throw new SearchesBusy()
    const turn = Promise.withResolvers<void>()
    const waiting: Waiting = { companyId, begin: turn.resolve, over: false }
    const late = setTimeout(() => {
      waiting.over = true
      turn.reject(new SearchesBusy())
    }, patience)
    this.#waiting.push(companyId, waiting)
    try {
      await turn.promise
    } finally {
      clearTimeout(late)
    }
  }

  #mayBegin(companyId: string): boolean {
    return this.#places.allows(this.#underWay.get(companyId) ?? 0)
  }

  #begin(companyId: string): void {
    this.#places.take(1)
    this.#underWay.set(companyId, (this.#underWay.get(companyId) ?? 0) + 1)
  }

  #end(companyId: string): void {
    this.#places.give(1)
    const left = this.#underWay.get(companyId)! - 1
    if (left === 0) this.#underWay.delete(companyId)
    else this.#underWay.set(companyId, left)
    for (;;) {
      const next = this.#waiting.take((company) => this.#mayBegin(company))
      if (next === null) return
      if (next.over) continue
      this.#begin(next.companyId)
      next.begin()
    }
  }
}
