import type { Reservation } from '../intake/handover.ts'
import type { Lease, NewEmail } from '../store/store.ts'

/** Takes over an email that was accepted under a reservation. */
export type BeginEmail = (email: NewEmail, leased: number[], lease: Lease) => void

/** Places in the ready queues that are promised to emails whose commit is under way, so that none is promised twice. */
export class PromisedPlaces {
  readonly begin: BeginEmail
  count = 0

  constructor(begin: BeginEmail) {
    this.begin = begin
  }

  promise(lease: Lease): Reservation {
    this.count++
    return new PlaceReservation(lease, this)
  }
}

class PlaceReservation implements Reservation {
  readonly lease: Lease
  readonly #places: PromisedPlaces
  #free = false

  constructor(lease: Lease, places: PromisedPlaces) {
    this.lease = lease
    this.#places = places
  }

  begin(email: NewEmail, leased: number[]): void {
    this.#places.begin(email, leased, this.lease)
  }

  [Symbol.dispose](): void {
    if (!this.#free) this.#places.count--
    this.#free = true
  }
}
