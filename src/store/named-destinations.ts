/**
 * Recipient domains that are counted under their own names for a company, or for all: the first ones of a day, and
 * those that get much mail. Senders decide how many domains there are, and a year of counts must be added up at once,
 * so the mail of all other domains is counted together. Kept in memory only: after a restart at most as many again get
 * names.
 */
import { RecentEntries } from '../common/recent-entries.ts'

/**
 * For each company and day, the first `NAMED` domains are named even if they get little mail, and at most `MAX_NAMED`
 * in all.
 */
const NAMED = 100
const MAX_NAMED = 200
/** A domain with this part of a step's counts, and at least this many, is named beyond the first ones. */
const MUCH = { part: 1 / 20, least: 50 }
/** Companies and days that are remembered. */
const REMEMBERED = 2_000

/** The value under which domains without a name are counted. */
export const OTHERS = ''

export class NamedDestinations {
  readonly #named = new RecentEntries<Set<string>>(REMEMBERED)

  /**
   * The named ones of the domains counted in a step. `counted`: the count of each. `day`: any number that is the same
   * all day.
   */
  among(company: number, day: number, counted: ReadonlyMap<string, number>): ReadonlySet<string> {
    const key = `${company} ${day}`
    let named = this.#named.get(key)
    if (named === undefined) {
      named = new Set()
      this.#named.set(key, named)
    }
    const unnamed = [...counted].filter(([domain]) => !named.has(domain))
    if (unnamed.length === 0 || named.size >= MAX_NAMED) return named
    let all = 0
    for (const n of counted.values()) all += n
    const much = Math.max(MUCH.least, all * MUCH.part)
    for (const [domain, n] of unnamed.sort(([, a], [, b]) => b - a)) {
      if (named.size < NAMED || (n >= much && named.size < MAX_NAMED)) named.add(domain)
    }
    return named
  }
}
