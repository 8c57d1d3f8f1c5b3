import type { LaneRoom } from '../store/store.ts'
import { domainsByCompany, laneKey, roomsOf } from './lane-key.ts'

/**
 * Milliseconds for which claims skip a lane. After that, some of its mail is claimed again, because by then this node
 * may have a share of the sessions, or another path to the domain.
 */
const SKIP_MS = 60_000
/** Lanes remembered at most. */
const MAX_LANES = 10_000

/** The lanes, of a company and a recipient domain, that other nodes have all the sessions for. */
export class LanesOfOthers {
  /** Until when (Unix ms), by `laneKey`; the oldest first. */
  readonly #lanes = new Map<string, number>()

  /** Must be called when the company's mail to these domains was given back for other nodes to send. */
  add(companyId: string, domains: Iterable<string>, now = Date.now()): void {
    for (const domain of domains) {
      const lane = laneKey(companyId, domain)
      this.#lanes.delete(lane)
      this.#lanes.set(lane, now + SKIP_MS)
    }
    for (const lane of this.#lanes.keys()) {
      if (this.#lanes.size <= MAX_LANES) break
      this.#lanes.delete(lane)
    }
  }

  /** The nodes that deliver have changed: all lanes may be claimed. */
  clear(): void {
    this.#lanes.clear()
  }

  /** Limits for a claim that leave out all mail of these lanes. */
  rooms(now: number): LaneRoom[] {
    for (const [lane, until] of this.#lanes) {
      if (until > now && until <= now + SKIP_MS) break
      this.#lanes.delete(lane)
    }
    return roomsOf(domainsByCompany(this.#lanes.keys()), 0)
  }
}
