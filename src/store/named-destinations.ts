/**
 * Recipient domains that are counted under their names for a company, or for all: the first of a day, and those that
 * get much. Senders decide how many domains there are, and a year is to be added up at once. What the others get is
 * counted together. Kept in memory alone: who digests the log after a restart names as many again at most.
 */
import { LRUCache } from 'lru-cache'

/** Of a company and day: so many whatever they get, and so many in all. */
const NAMED = 100
const MOST_NAMED = 200
/** Who gets this part of what a step counts, and so much, has a name beyond the first ones. */
const MUCH = { part: 1 / 20, least: 50 }
/** Companies and days that are remembered. */
const REMEMBERED = 2_000

/** What is counted of those without a name. */
export const OTHERS = ''

export class NamedDestinations {
  readonly #named = new LRUCache<string, Set<string>>({ max: REMEMBERED })

  /** Of these, with what a step counts of each, those that are named. `day`: whichever number. */
  among(company: number, day: number, counted: ReadonlyMap<string, number>): ReadonlySet<string> {
    const key = `${company} ${day}`
    let named = this.#named.get(key)
    if (named === undefined) {
      named = new Set()
      this.#named.set(key, named)
    }
    const unnamed = [...counted].filter(([domain]) => !named.has(domain))
    if (unnamed.length === 0 || named.size >= MOST_NAMED) return named
    let all = 0
    for (const n of counted.values()) all += n
    const much = Math.max(MUCH.least, all * MUCH.part)
    for (const [domain, n] of unnamed.sort(([, a], [, b]) => b - a)) {
      if (named.size < NAMED || (n >= much && named.size < MOST_NAMED)) named.add(domain)
    }
    return named
  }
}
