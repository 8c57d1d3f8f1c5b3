import { Tally } from '../common/tally.ts'
import type { Reservation } from '../intake/handover.ts'
import type { Lease, NewEmail } from '../store/store.ts'
import type { DeliveryPipeline } from './pipeline.ts'

/** Places in the ready queues that are promised to emails whose commit is under way, so that none is promised twice. */
export class PromisedPlaces {
  readonly pipeline: Pick<DeliveryPipeline, 'takeAccepted'>
  count = 0
  /** The number of promised places of each lane that `promise` was given. */
  readonly #lanes = new Tally()

  constructor(pipeline: Pick<DeliveryPipeline, 'takeAccepted'>) {
    this.pipeline = pipeline
  }

  /** `lanes`: names of the lanes that the places are in, as far as these are counted. */
  promise(lease: Lease, lanes: readonly string[] = []): Reservation {
    this.count++
    for (const lane of lanes) this.#lanes.add(lane, 1)
    return new PlaceReservation(lease, this, lanes)
  }

  in(lane: string): number {
    return this.#lanes.of(lane)
  }

  free(lanes: readonly string[]): void {
    this.count--
    for (const lane of lanes) this.#lanes.add(lane, -1)
  }
}

class PlaceReservation implements Reservation {
  readonly lease: Lease
  readonly #places: PromisedPlaces
  readonly #lanes: readonly string[]
  #free = false

  constructor(lease: Lease, places: PromisedPlaces, lanes: readonly string[]) {
    this.lease = lease
    this.#places = places
    this.#lanes = lanes
  }

  begin(email: NewEmail, leased: number[]): void {
    this.#places.pipeline.takeAccepted(email, leased, this.lease)
  }

  [Symbol.dispose](): void {
    if (!this.#free) this.#places.free(this.#lanes)
    this.#free = true
  }
}
