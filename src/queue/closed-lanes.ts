/**
 * Mail in the store whose paths are closed: it would be claimed only to be given back. A lane is a company's mail to
 * one recipient domain.
 */
import { monotonic } from '../common/clock.ts'
import type { LaneRoom } from '../store/store.ts'

/**
 * `closed`: all the mail of the lane would be given back. `due`: all but one delivery, which tries the path. `open`:
 * some of it may leave, or nobody knows.
 */
export type LaneState = 'open' | 'due' | 'closed'

/** Lanes remembered at most; mail of others is claimed as if its path were open. */
const MOST_LANES = 2_000
/** Milliseconds for which the states of lanes are believed, unless a path opens. */
const BELIEVED_MS = 1_000
/**
 * Recipients of closed lanes that are claimed in a second, and at once after a pause, all lanes together: each may have
 * waited as long as it may, or be tried at the word of an operator.
 */
const A_SECOND = 50
const AT_ONCE = 100

interface Lane {
  companyId: string
  domain: string
}

export class ClosedLanes {
  readonly #stateOf: (companyId: string, domain: string) => LaneState
  readonly #now: () => number
  /** By `keyOf`. */
  readonly #lanes = new Map<string, Lane>()
  #closed: Map<string, Lane[]> = new Map()
  #due = new Map<string, LaneRoom>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #openings = 0
  #left = AT_ONCE
  #filledAt = 0

  constructor(stateOf: (companyId: string, domain: string) => LaneState, now: () => number = monotonic) {
    this.#stateOf = stateOf
    this.#now = now
    this.#filledAt = now()
  }

  /** Mail of the company to these domains was given back, because its path is closed. */
  add(companyId: string, domains: Iterable<string>): void {
    for (const domain of domains) {
      if (this.#lanes.size === MOST_LANES) return
      this.#lanes.set(keyOf(companyId, domain), { companyId, domain })
    }
  }

  /** The room for these lanes in the next claim. `openings`: how often a path has opened so far. */
  rooms(openings: number): LaneRoom[] {
    if (this.#lanes.size === 0) return []
    const now = this.#now()
    if (openings !== this.#openings || now - this.#lookedAt > BELIEVED_MS) this.#look()
    this.#openings = openings
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#filledAt) * A_SECOND) / 1_000)
    this.#filledAt = now
    const each = this.#left < 1 ? 0 : Math.max(1, Math.floor(this.#left / this.#closed.size))
    const closed = [...this.#closed].map(([companyId, lanes]) => {
      return { companyId, domains: lanes.map(({ domain }) => domain), room: each }
    })
    return [...closed, ...this.#due.values()]
  }

  /** A claim has taken mail of this lane. */
  taken(companyId: string, domain: string): void {
    const key = keyOf(companyId, domain)
    if (!this.#lanes.has(key)) return
    const due = this.#due.get(key)
    if (due === undefined) this.#left -= 1
    else due.room = 0
  }

  #look(): void {
    this.#lookedAt = this.#now()
    this.#due.clear()
    const closed: Lane[] = []
    for (const [key, lane] of this.#lanes) {
      const { companyId, domain } = lane
      const state = this.#stateOf(companyId, domain)
      if (state === 'open') this.#lanes.delete(key)
      else if (state === 'due') this.#due.set(key, { companyId, domains: [domain], room: 1 })
      else closed.push(lane)
    }
    this.#closed = Map.groupBy(closed, ({ companyId }) => companyId)
  }
}

function keyOf(companyId: string, domain: string): string {
  return `${companyId}\0${domain}`
}
