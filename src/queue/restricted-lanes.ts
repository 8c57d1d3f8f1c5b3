/** The mail in the store of which a claim takes little or nothing, because this node could not send it now. */
import type { LaneRoom } from '../store/store.ts'
import { ClosedLanes, type LaneState } from './closed-lanes.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { LanesOfOthers } from './lanes-of-others.ts'

interface RestrictedLanesParts {
  stateOf(companyId: string, domain: string): LaneState
  /** Deliveries whose path is being looked up. */
  unresolved(): Iterable<ReadyDelivery>
}

export class RestrictedLanes {
  readonly #closed: ClosedLanes
  readonly #left = new LanesOfOthers()
  readonly #unresolved: RestrictedLanesParts['unresolved']

  constructor({ stateOf, unresolved }: RestrictedLanesParts) {
    this.#closed = new ClosedLanes(stateOf)
    this.#unresolved = unresolved
  }

  /** Mail of the company to these domains was given back, because its path is closed. */
  addClosed(companyId: string, domains: Iterable<string>): void {
    this.#closed.add(companyId, domains)
  }

  /** The same, because other nodes have all the sessions. */
  addOfOthers(companyId: string, domains: Iterable<string>): void {
    this.#left.add(companyId, domains)
  }

  /** A claim has taken mail of this lane. */
  taken(companyId: string, domain: string): void {
    this.#closed.taken(companyId, domain)
  }

  /** The nodes that share the sessions have changed. */
  sharesChanged(): void {
    this.#left.clear()
  }

  /**
   * The mail that the next claim may take. `openings`: how often a path has opened so far; `shared`: other nodes
   * deliver as well.
   */
  rooms(openings: number, shared: boolean): LaneRoom[] {
    const rooms = this.#closed.rooms(openings)
    if (!shared) return rooms
    rooms.push(...this.#left.rooms(Date.now()))
    // The rest of it is left to other nodes.
    for (const { email, recipients } of this.#unresolved()) {
      rooms.push({ companyId: email.companyId, domains: recipients.map(({ domain }) => domain), room: 0 })
    }
    return rooms
  }
}
