/**
 * Turns of searches. Each step of a search is small, but a search for rare matches takes many steps, and any key may
 * request hundreds of searches at once. Therefore only a few searches run at a time. Companies take turns, and the
 * searches of one company run in order. Searches never hold all sessions of the database, so other reads do not wait.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import type { PoolShape } from '../common/shared-pool.ts'

/** A company that searches alone gets two places. The third is kept for another company. */
const PLACES = { size: 3, kept: 1, timesFree: 2 }
/** The most searches of one company that may wait. */
const MAX_WAITING = 100
/** Seconds after which a company that got no turn may try again. */
const RETRY_AFTER = 2

/** Time limit of one search in ms, including the wait for its turn. */
export const PATIENCE = 30_000

/** The party of a search in all companies. */
const ALL = ''

/** A search got no turn in time, because its company has too many under way. */
export class SearchesBusy extends Error {
  override name = 'SearchesBusy'
  readonly retryAfter = RETRY_AFTER
}

export class SearchTurns {
  readonly #places: CompanyPlaces

  /** `shape`: for other work than searches, which takes turns in the same way. */
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
    if (this.#places.waiting(companyId) >= MAX_WAITING) throw new SearchesBusy()
    const waiting = new AbortController()
    const late = setTimeout(() => waiting.abort(new SearchesBusy()), patience)
    try {
      return await this.#places.take(companyId, waiting.signal)
    } finally {
      clearTimeout(late)
    }
  }
}
