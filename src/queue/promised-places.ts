import type { Reservation } from '../intake/handover.ts'
import type { Lease, NewEmail } from '../store/store.ts'

/** Who takes over what was accepted under a reservation. */
interface Taker {
  begin(email: NewEmail, leased: number[], lease: Lease): void
}

/** Places in the ready queues that are promised to emails whose commit is under way, so that none is promised twice. */
export class PromisedPlaces {
  readonly #taker: Taker
  #count = 0

  constructor(taker: Taker) {
    this.#taker = taker
  }

  get count(): number {
    return this.#count
  }

  promise(lease: Lease): Reservation {
    this.#count += 1
    return new Place(lease, this.#taker, () => {
      this.#count -= 1
    })
  }
}

class Place implements Reservation {
  readonly lease: Lease
  readonly #taker: Taker
  #free: (() => void) | null

  constructor(lease: Lease, taker: Taker, free: () => void) {
    this.lease = lease
    this.#taker = taker
    this.#free = free
  }

  begin(email: NewEmail, leased: number[]): void {
    this.#taker.begin(email, leased, this.lease)
  }

  [Symbol.dispose](): void {
    this.#free?.()
    this.#free = null
  }
}
