import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'
import type { StateCache } from './state-caches.ts'

/** The most emails remembered: more than a node has under way. */
const MAX = 16_384

export interface NumberedEmail {
  num: number
  company: number
  domainId: string
}

/**
 * Finds the row of an email by its id. Emails that this process has just accepted or claimed are remembered until their
 * first result comes: the usual email is spared the search through the index of all ids.
 */
export class EmailNumbers extends OnConnection implements StateCache {
  readonly #recent = new Map<string, NumberedEmail>()
  readonly #find = this.db.prepare('SELECT num, company, domain_id AS domainId FROM emails WHERE id = ?')

  readonly #highest = this.db.prepare(
    `SELECT max(coalesce((SELECT max(num) FROM emails), 0),
       coalesce((SELECT value FROM counters WHERE name = 'emails'), 0)) AS num`,
  )
  readonly #keep = this.db.prepare(
    `INSERT INTO counters (name, value) VALUES ('emails', ?)
     ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  )
  /** The highest number that was ever given; null until it has been read. */
  #last: number | null = null

  /** The number of a new email. Numbers rise even when the last email was removed: lists of the digest hold them. */
  next(): number {
    this.#last ??= one<{ num: number }>(this.#highest)!.num
    return ++this.#last
  }

  /** The emails with these numbers are removed, and the numbers are not given again. */
  removed(nums: readonly number[]): void {
    if (nums.length === 0) return
    this.#recent.clear()
    this.#keep.run(Math.max(...nums))
  }

  /** Work on this email begins. */
  remember(id: string, place: NumberedEmail): void {
    if (this.#recent.size === MAX) this.#recent.clear()
    this.#recent.set(id, place)
  }

  find(id: string): NumberedEmail | undefined {
    const known = this.#recent.get(id)
    if (known === undefined) return one<NumberedEmail>(this.#find, id)
    this.#recent.delete(id)
    return known
  }

  /**
   * A number may belong to another email by now: a transaction was rolled back, or another process wrote.
   */
  forget(): void {
    this.#last = null
    this.#recent.clear()
  }
}
