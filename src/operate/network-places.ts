/**
 * Places for requests of strangers that write to the store. Networks share them, and each place stays taken for a
 * while. So a flood from one network leaves places for others, and one from many writes a few rows a second.
 */
import { SharedPool } from '../common/shared-pool.ts'

/** One network alone gets 22 of the places, and eight are for networks that have none. */
const SHAPE = { size: 40, kept: 8, timesFree: 2 }

export class NetworkPlaces {
  readonly #pool = new SharedPool(SHAPE)
  readonly #held = new Map<string, number>()

  /** The function that gives the place back; null: no place is left for this network. */
  take(network: string): (() => void) | null {
    const held = this.#held.get(network) ?? 0
    if (!this.#pool.allows(held)) return null
    this.#pool.take(1)
    this.#held.set(network, held + 1)
    return () => {
      this.#pool.give(1)
      const left = this.#held.get(network)! - 1
      if (left === 0) this.#held.delete(network)
      else this.#held.set(network, left)
    }
  }
}
