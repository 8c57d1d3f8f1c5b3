/** Divides the places for returned mail among the networks of clients, so that no network takes them all. */
import { Tally } from '../common/tally.ts'

/** A network may have one place for every seven free ones: an eighth of all places if it is alone. */
const FREE_FOR_EACH = 7
/** Places that a network may always have, because a server with many users opens several sessions. */
const LEAST = 2

export class NetworkPlaces {
  readonly #networks = new Tally()
  #taken = 0

  /** Whether the network may take another place. `all`: the places of all networks together. */
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
