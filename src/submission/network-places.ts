/**
 * The places of networks of clients among those of returned mail, so that no server keeps the mail of all others out.
 */
import { Tally } from '../common/tally.ts'

/** A network may have one place for so many that are free: an eighth of all places if it is alone. */
const FREE_FOR_EACH = 7
/** Places that a network may have in any case, because a server of many users has several sessions. */
const LEAST = 2

export class NetworkPlaces {
  readonly #networks = new Tally()
  #taken = 0

  /** Whether the network may have another one. `all`: the places that all networks may have now. */
  allows(network: string, all: number): boolean {
    const held = this.#networks.of(network)
    return held < LEAST || held * FREE_FOR_EACH < all - this.#taken
  }

  take(network: string): void {
    this.#count(network, 1)
  }

  give(network: string): void {
    this.#count(network, -1)
  }

  #count(network: string, more: 1 | -1): void {
    this.#networks.add(network, more)
    this.#taken += more
  }
}
