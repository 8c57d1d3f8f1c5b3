/**
 * Requests whose keys this node does not know, while it looks them up in the store. Their companies are unknown, so the
 * limit is shared among source addresses.
 */
import { Fault } from '../fault.ts'
import { addressGroup } from './address-group.ts'
import { fairPool } from './fair-pool.ts'

/** The most requests that may wait at once. */
const MAX = 500
/** Seconds after which a request that found no place may be retried. */
const RETRY_AFTER = 2

export class Strangers {
  readonly #pool = fairPool(MAX)
  readonly #waiting = new Map<string, number>()

  /** Takes a place while `answer()` runs. Rejects with a Fault when there is none for this source address. */
  async waitFor(address: string, answer: () => Promise<void>): Promise<void> {
    const group = addressGroup(address)
    const waiting = this.#waiting.get(group) ?? 0
    if (!this.#pool.allows(waiting)) throw new Fault({ code: 'overloaded', retryAfter: RETRY_AFTER })
    this.#pool.take(1)
    this.#waiting.set(group, waiting + 1)
    try {
      await answer()
    } finally {
      this.#pool.give(1)
      const left = this.#waiting.get(group)! - 1
      if (left === 0) this.#waiting.delete(group)
      else this.#waiting.set(group, left)
    }
  }
}
