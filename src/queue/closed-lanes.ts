/**
 * Mail in the store whose paths are closed: it would be claimed only to be given back. A lane is a company's mail to
 * one recipient domain.
 */
import { monotonic } from '../common/clock.ts'
import { Tally } from '../common/tally.ts'
import type { LaneRoom } from '../store/store.ts'
import { domainsByCompany, laneKey, roomsOf } from './lane-key.ts'

/**
 * `closed`: all the mail of the lane would be given back. `due`: all but one delivery, which tries the path. `open`:
 * some of it may leave, or nobody knows.
 */
export type LaneState = 'open' | 'due' | 'closed'

/**
 * Lanes remembered at most, of all companies and of one: those that mail was given back from last. Mail of others is
 * claimed as if its path were open.
 */
const MAX_LANES = 2_000
const MAX_OF_COMPANY = 500
/** Milliseconds for which the states of lanes are believed, and where a path has opened. */
const BELIEVED_MS = 1_000
const BELIEVED_AFTER_OPENING_MS = 250
/** Lanes looked at together: the paths from all sending domains of their companies are compared. */
const LOOKED_AT = 250
/**
 * Recipients of closed lanes that are claimed in a second, and at once after a pause, all lanes together: each may have
 * waited as long as it may, or be tried at the word of an operator.
 */
const A_SECOND = 50
const AT_ONCE = 100

interface Lane {
  companyId: string
  domain: string
  state: LaneState
}

export class ClosedLanes {
  readonly #stateOf: (companyId: string, domain: string) => LaneState
  readonly #now: () => number
  /** By `laneKey`; the one that mail was given back from last stands at the end. */
  readonly #lanes = new Map<string, Lane>()
  /** Lanes by company. */
  readonly #ofCompany = new Tally()
  /** Number of the next lane to look at. */
  #next = 0
  /** Recipient domains of closed lanes, by company. */
  #closed: ReadonlyMap<string, string[]> = new Map()
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
      const key = laneKey(companyId, domain)
      const known = this.#lanes.get(key)
      this.#forget(key)
      if (this.#ofCompany.of(companyId) >= MAX_OF_COMPANY)
        this.#forgetOldest((lane) => lane.companyId === companyId)
      if (this.#lanes.size >= MAX_LANES) this.#forgetOldest(() => true)
      this.#lanes.set(key, known ?? { companyId, domain, state: 'closed' })
      this.#ofCompany.add(companyId, 1)
    }
  }

  /** The room for these lanes in the next claim. `openings`: how often a path has opened so far. */
  rooms(openings: number): LaneRoom[] {
    if (this.#lanes.size === 0) return []
    const now = this.#now()
    const believed = openings === this.#openings ? BELIEVED_MS : BELIEVED_AFTER_OPENING_MS
    if (now - this.#lookedAt > believed) {
      this.#look()
      this.#openings = openings
    }
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#filledAt) * A_SECOND) / 1_000)
    this.#filledAt = now
    const each = this.#left < 1 ? 0 : Math.max(1, Math.floor(this.#left / this.#closed.size))
    return [...roomsOf(this.#closed, each), ...this.#due.values()]
  }

  /** A claim has taken mail of this lane. */
  taken(companyId: string, domain: string): void {
    const key = laneKey(companyId, domain)
    if (!this.#lanes.has(key)) return
    const due = this.#due.get(key)
    if (due === undefined) this.#left -= 1
    else due.room = 0
  }

  #look(): void {
    this.#lookedAt = this.#now()
    const all = [...this.#lanes.values()]
    for (let count = Math.min(LOOKED_AT, all.length); count > 0; count--) {
      this.#next = (this.#next + 1) % all.length
      const lane = all[this.#next]!
      lane.state = this.#stateOf(lane.companyId, lane.domain)
      if (lane.state === 'open') this.#forget(laneKey(lane.companyId, lane.domain))
    }
    this.#due.clear()
    const closed: string[] = []
    for (const [key, { companyId, domain, state }] of this.#lanes) {
      if (state === 'due') this.#due.set(key, { companyId, domains: [domain], room: 1 })
      else closed.push(key)
    }
    this.#closed = domainsByCompany(closed)
  }

  #forget(key: string): void {
    const lane = this.#lanes.get(key)
    if (lane === undefined) return
    this.#lanes.delete(key)
    this.#ofCompany.add(lane.companyId, -1)
  }

  #forgetOldest(isMeant: (lane: Lane) => boolean): void {
    for (const [key, lane] of this.#lanes) {
      if (!isMeant(lane)) continue
      this.#forget(key)
      return
    }
  }
}
