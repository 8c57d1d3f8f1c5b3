/**
 * Turns of searches. Each step of one is small, but looking for what lies far apart takes many, and whoever has a key
 * may ask for hundreds at once. So few are under way at a time, those of one company in their order, and companies take
 * turns: what else is read never waits for all of a database's sessions.
 */
import { CompanyPlaces } from '../common/company-places.ts'

/** Of one company alone two at a time; one place is kept for another. */
const PLACES = { size: 3, kept: 1, timesFree: 2 }
/** Searches of one company that may wait. */
const MOST_WAITING = 100
/** Seconds after which a company that found no turn may ask again. */
const RETRY_AFTER = 2

/** Ms that one search may take, with waiting for its turn. */
export const PATIENCE = 30_000

/** In the place of a company: whoever asks about all of them. */
const ALL = ''

/** The company has too many searches under way: its turn did not come in time. */
export class SearchesBusy extends Error {
  override name = 'SearchesBusy'
  readonly retryAfter = RETRY_AFTER
}

export class SearchTurns {
  readonly #places = new CompanyPlaces(PLACES)

  /** Null: of all companies. Rejects with SearchesBusy where its turn does not come within so many ms. */
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
