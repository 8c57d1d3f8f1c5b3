import type { Reservation } from '../intake/handover.ts'
import type { Lease, NewEmail } from '../store/store.ts'
import type { DeliveryPipeline } from './pipeline.ts'

/** Places in the ready queues that are promised to emails whose commit is under way, so that none is promised twice. */
export class PromisedPlaces {
  readonly pipeline: Pick<DeliveryPipeline, 'takeAccepted'>
  count = 0

  constructor(pipeline: Pick<DeliveryPipeline, 'takeAccepted'>) {
    this.pipeline = pipeline
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
    this.#places.pipeline.takeAccepted(email, leased, this.lease)
  }

  [Symbol.dispose](): void {
    if (!this.#free) this.#places.count--
    this.#free = true
  }
}
