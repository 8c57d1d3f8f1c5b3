/**
 * Turns of searches. Each step of a search is small, but a search for rare matches takes many steps, and any key may
 * request hundreds of searches at once. So few searches run at a time, those of one company in order, and companies
 * take turns: searches never hold all sessions of the database, and other reads need not wait for one.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import type { PoolShape } from '../common/shared-pool.ts'

/** One company alone gets two places; one is kept for another company. */
const PLACES = { size: 3, kept: 1, timesFree: 2 }
/** Searches of one company that may wait. */
const MOST_WAITING = 100
/** Seconds after which a company that got no turn may try again. */
const RETRY_AFTER = 2

/** The most ms for one search, including the wait for its turn. */
export const PATIENCE = 30_000

/** The turn of searches in all companies. */
const ALL = ''

/** The company has too many searches under way: the turn did not come in time. */
export class SearchesBusy extends Error {
  override name = 'SearchesBusy'
  readonly retryAfter = RETRY_AFTER
}

export class SearchTurns {
  readonly #places: CompanyPlaces

  /** `shape`: of other work than searches that has turns of its own. */
  constructor(shape: PoolShape = PLACES) {
    this.#places = new CompanyPlaces(shape)
  }

  /** Null: all companies. Rejects with SearchesBusy when the turn does not come within `patience` ms. */
  async take<T>(companyId: string | null, search: () => Promise<T>, patience = PATIENCE): Promise<T> {
    const end = await this.#turn(companyId ?? ALL, patience)
    try {
      return await search()
    } finally {
      end()
    }
  }

  async #turn(companyId: string, patience: number): Promise<() => void> {
    if (this.#places.waiting(companyId) >= MOST_WAITING) throw new SearchesBusy()
    const waiting = new AbortController()
    const late = setTimeout(() => waiting.abort(new SearchesBusy()), patience)
    try {
      return await this.#places.take(companyId, waiting.signal)
    } finally {
      clearTimeout(late)
    }
  }
}
