import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { Holdings } from './holdings.ts'

/**
 * Deliveries whose path is being looked up. They hold places in the ready queues, so that no place is promised twice.
 */
export class UnresolvedDeliveries {
  readonly #waiting = new Set<ReadyDelivery>()
  readonly #holdings: Holdings
  readonly #found: (ready: ReadyDelivery) => void

  /** `found`: takes over a delivery whose path is known. */
  constructor(holdings: Holdings, found: (ready: ReadyDelivery) => void) {
    this.#holdings = holdings
    this.#found = found
  }

  /** `path` never rejects. */
  add(ready: ReadyDelivery, path: Promise<Path>): void {
    this.#waiting.add(ready)
    this.#holdings.add(ready)
    void path.then((known) => {
      if (!this.#waiting.delete(ready)) return
      this.#holdings.remove(ready)
      ready.path = known
      this.#found(ready)
    })
  }

  deliveries(): Iterable<ReadyDelivery> {
    return this.#waiting
  }

  /** Removes everything (to give it back at a stop). */
  drain(): ReadyDelivery[] {
    const rest = [...this.#waiting]
    this.#waiting.clear()
    for (const ready of rest) this.#holdings.remove(ready)
    return rest
  }
}
