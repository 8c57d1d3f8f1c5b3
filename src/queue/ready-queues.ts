import { SharedPool } from '../common/shared-pool.ts'
import { LARGE_MESSAGE } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { Fifo } from './fifo.ts'

export interface ReadyLimits {
  /** Sessions at once, altogether. Those of a path: session-limits.ts. */
  concurrency: number
  /**
   * What may wait in memory: deliveries, and octets of messages (those under way included). Companies that hold nothing
   * yet may go beyond, by octets up to twice as far.
   */
  maxDeliveries: number
  maxBytes: number
  /** Octets of large messages under way, in the same way. */
  maxLargeBytes: number
}

/** What takes no more. */
export interface Full {
  companies: string[]
  /** Of the others, single paths. */
  lanes: { companyId: string; waiting: Iterable<ReadyDelivery> }[]
}

/**
 * A company may have up to this many times the sessions that are free: one company alone about three quarters of all, a
 * second most of the rest, and so on.
 */
const SESSIONS_OF_FREE = 3
/** This part of all sessions is kept for companies that have none: each may take one of them. */
const KEPT_FOR_NEWCOMERS = 1 / 10

/** The deliveries of one company for one path, in order. */
class Lane {
  readonly company: Company
  readonly state: PathState
  readonly waiting = new Fifo<ReadyDelivery>()
  /** In the company's ring, parked at a path that has no session free, or set aside; else it is empty. */
  queued = false
  constructor(company: Company, state: PathState) {
    this.company = company
    this.state = state
  }
}

/** A path as it is used now. */
class PathState {
  busy = 0
  /** Lanes that take it; it is forgotten when there are none and nothing is busy. */
  lanes = 0
  /** Lanes that have work but wait for a session of this path, oldest first. */
  readonly parked = new Fifo<Lane>()
  readonly path: Path
  constructor(path: Path) {
    this.path = path
  }
}

class Company {
  busy = 0
  /** Deliveries waiting here, and octets of these and of those under way. */
  held = 0
  bytes = 0
  /** Octets of large messages under way. */
  largeBytes = 0
  /** Lanes that can be served now, in turn. */
  readonly ring = new Fifo<Lane>()
  /** By key of the path. */
  readonly lanes = new Map<string, Lane>()
  queued = false
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

/** How many companies at the front of the ring are compared for the fewest busy sessions. */
const CHOICES = 8

/**
 * Whom can we talk to now? Ready deliveries per company and path, served so that nobody waits for somebody else:
 * companies take turns, those with fewer open sessions first; within a company its paths take turns; a path without a
 * free session parks its lanes and blocks nobody.
 *
 * A message that is sent is in memory several times over: as it was stored, as composed, as cut for the wire. So large
 * ones are begun only while those under way leave room; a lane that begins with one is set aside until then.
 *
 * Sessions, places and octets are shared by one rule: a company may take more only while what it has is less than (a
 * multiple of) what is free. So the more companies press, the less each may hold, and something is left for one that
 * has nothing yet; that one gets a place whatever the limits say, and a session from those kept for such as it.
 */
export class ReadyQueues {
  readonly #limits: ReadyLimits
  readonly #companies = new Map<string, Company>()
  /** By key of the path. */
  readonly #paths = new Map<string, PathState>()
  /** Those with a free session and parked lanes: their companies were at their share when it came free. */
  readonly #idle = new Set<PathState>()
  /** Lanes whose next message is too large for now, oldest first. */
  #aside: Lane[] = []
  #ring: Company[] = []
  readonly #sessions: SharedPool
  readonly #places: SharedPool
  readonly #octets: SharedPool
  readonly #large: SharedPool
  /** Sessions of a path at once, as things stand. */
  readonly #limitOf: (path: Path) => number

  constructor(limits: ReadyLimits, limitOf: (path: Path) => number) {
    const { concurrency, maxDeliveries, maxBytes, maxLargeBytes } = limits
    this.#limits = limits
    this.#sessions = new SharedPool({
      size: concurrency,
      kept: Math.ceil(concurrency * KEPT_FOR_NEWCOMERS),
      timesFree: SESSIONS_OF_FREE,
    })
    this.#places = new SharedPool({ size: maxDeliveries, kept: 0, timesFree: 1 })
    // As much again is kept for companies that hold nothing yet.
    this.#octets = new SharedPool({ size: 2 * maxBytes, kept: maxBytes, timesFree: 1 })
    this.#large = new SharedPool({ size: 2 * maxLargeBytes, kept: maxLargeBytes, timesFree: 1 })
    this.#limitOf = limitOf
  }

  /** Paths may have other limits now. What is open beyond stays open. */
  limitsChanged(): void {
    for (const state of this.#paths.values()) {
      if (state.parked.length > 0) this.#idle.add(state)
      for (let free = this.#limitOf(state.path) - state.busy; free > 0 && this.#unpark(state); free--);
    }
  }

  /** Deliveries waiting here, not counting those under way. */
  get waiting(): number {
    return this.#places.taken
  }
  get busy(): number {
    return this.#sessions.taken
  }
  /** Sessions that are busy on this path. */
  busyOn(path: Path): number {
    return this.#paths.get(path.key)?.busy ?? 0
  }
  get bytes(): number {
    return this.#octets.taken
  }

  /** Those waiting here, in no particular order. Nothing may be added or taken meanwhile. */
  *deliveries(): Generator<ReadyDelivery> {
    for (const { lanes } of this.#companies.values()) for (const lane of lanes.values()) yield* lane.waiting
  }

  /** Places left for deliveries of any company. */
  get room(): number {
    return Math.max(0, this.#limits.maxDeliveries - this.#places.taken)
  }

  /** Even companies that hold nothing must wait: their first messages together would be too much for the memory. */
  get overfull(): boolean {
    return this.#octets.exhausted
  }

  /** May this company add work for this path? */
  hasRoom(companyId: string, path: Path): boolean {
    const company = this.#companies.get(companyId)
    if (company === undefined) return !this.overfull
    return this.#mayHold(company, 1) && waitingFor(company, path) < path.limits.waiting
  }

  /** The same, while it is not known which path it takes. */
  hasRoomFor(companyId: string): boolean {
    const company = this.#companies.get(companyId)
    return company === undefined ? !this.overfull : this.#mayHold(company, 1)
  }

  /**
   * Is it worth fetching more work of this company for this path? Sooner than never, later than for each single place.
   */
  wants(companyId: string, path: Path): boolean {
    const company = this.#companies.get(companyId)
    if (company === undefined) return !this.overfull
    return this.#mayHold(company, 2) && waitingFor(company, path) * 2 < path.limits.waiting
  }

  full(): Full {
    const full: Full = { companies: [], lanes: [] }
    for (const company of this.#companies.values()) {
      if (!this.#mayHold(company, 1)) full.companies.push(company.id)
      else {
        for (const { waiting, state } of company.lanes.values()) {
          if (waiting.length >= state.path.limits.waiting) full.lanes.push({ companyId: company.id, waiting })
        }
      }
    }
    return full
  }

  push(ready: ReadyDelivery): void {
    const company = this.#company(ready.email.companyId)
    const { path } = ready
    let lane = company.lanes.get(path.key)
    if (lane === undefined) {
      lane = new Lane(company, this.#stateOf(path))
      lane.state.lanes++
      company.lanes.set(path.key, lane)
    }
    lane.waiting.push(ready)
    this.keepPlace(ready)
    if (!lane.queued) this.#enqueue(lane)
  }

  /** Counts what waits elsewhere, for its path to be known, as if it waited here. */
  keepPlace({ email, size }: ReadyDelivery): void {
    const company = this.#company(email.companyId)
    company.held++
    company.bytes += size
    this.#places.take(1)
    this.#octets.take(size)
  }

  freePlace({ email, size }: ReadyDelivery): void {
    const company = this.#company(email.companyId)
    company.held--
    company.bytes -= size
    this.#places.give(1)
    this.#octets.give(size)
    if (company.busy === 0 && company.held === 0) this.#companies.delete(company.id)
  }

  /** The next delivery to start, or null when there is none or no session is free. Call `done` when it has ended. */
  take(): ReadyDelivery | null {
    while (!this.#sessions.exhausted) {
      const company = this.#nextCompany()
      if (company === null) return null
      const lane = company.ring.shift()!
      const state = lane.state
      if (this.#isFull(state)) {
        state.parked.push(lane)
        this.#requeue(company)
        continue
      }
      const large = largeBytes(lane.waiting.first!)
      if (large > 0 && !this.#mayBeginLarge(company)) {
        this.#aside.push(lane)
        this.#requeue(company)
        // The session that it leaves unused is for the next in line.
        this.#unpark(state)
        continue
      }
      const ready = lane.waiting.shift()!
      company.largeBytes += large
      this.#large.take(large)
      state.busy++
      company.busy++
      this.#sessions.take(1)
      company.held--
      this.#places.give(1)
      if (lane.waiting.length > 0) company.ring.push(lane)
      else {
        lane.queued = false
        state.lanes--
        company.lanes.delete(state.path.key)
      }
      this.#requeue(company)
      return ready
    }
    return null
  }

  /** The delivery has ended: its session is free for the next. */
  done(ready: ReadyDelivery): void {
    const state = this.#stateOf(ready.path)
    const company = this.#company(ready.email.companyId)
    state.busy--
    company.busy--
    company.bytes -= ready.size
    this.#sessions.give(1)
    this.#octets.give(ready.size)
    const large = largeBytes(ready)
    if (large > 0) {
      company.largeBytes -= large
      this.#large.give(large)
      this.#resume()
    }
    if (state.parked.length > 0) this.#idle.add(state)
    for (const idle of this.#idle) this.#unpark(idle)
    if (state.busy === 0 && state.lanes === 0) this.#paths.delete(state.path.key)
    if (company.busy === 0 && company.held === 0) this.#companies.delete(company.id)
  }

  /** Takes everything out that has not started (to give it back at a stop). */
  drain(): ReadyDelivery[] {
    const rest: ReadyDelivery[] = []
    for (const company of this.#companies.values()) {
      for (const lane of company.lanes.values()) {
        for (let ready = lane.waiting.shift(); ready !== undefined; ready = lane.waiting.shift()) {
          company.bytes -= ready.size
          this.#octets.give(ready.size)
          this.#places.give(1)
          rest.push(ready)
        }
        lane.queued = false
        lane.state.lanes--
      }
      company.lanes.clear()
      company.held = 0
      while (company.ring.shift() !== undefined);
      company.queued = false
    }
    for (const { parked } of this.#paths.values()) while (parked.shift() !== undefined);
    this.#idle.clear()
    this.#aside = []
    this.#ring = []
    return rest
  }

  #isFull({ path, busy }: PathState): boolean {
    return busy >= this.#limitOf(path)
  }

  /** `times`: so many times what it has now. */
  #mayHold(company: Company, times: number): boolean {
    if (company.held === 0 && company.busy === 0) return !this.overfull
    return this.#places.allows(company.held * times) && this.#octets.allows(company.bytes * times)
  }

  #maySpeak(company: Company): boolean {
    return company.busy === 0 || this.#sessions.allows(company.busy)
  }

  #mayBeginLarge(company: Company): boolean {
    return this.#large.allows(company.largeBytes)
  }

  /** Large messages under way have become fewer: lanes that may go on do. */
  #resume(): void {
    if (this.#aside.length === 0) return
    const aside = this.#aside
    this.#aside = []
    for (const lane of aside) {
      if (this.#mayBeginLarge(lane.company)) {
        lane.company.ring.push(lane)
        this.#requeue(lane.company)
      } else this.#aside.push(lane)
    }
  }

  /** Gives a free session of the path to the first parked lane whose company may use it. False when there is none. */
  #unpark(state: PathState): boolean {
    if (this.#isFull(state) || state.parked.length === 0) {
      this.#idle.delete(state)
      return false
    }
    for (let looks = state.parked.length; looks > 0; looks--) {
      const lane = state.parked.shift()!
      if (!this.#maySpeak(lane.company)) {
        state.parked.push(lane)
        continue
      }
      lane.company.ring.push(lane)
      this.#requeue(lane.company)
      return true
    }
    return false
  }

  #company(id: string): Company {
    let company = this.#companies.get(id)
    if (company === undefined) {
      company = new Company(id)
      this.#companies.set(id, company)
    }
    return company
  }

  #stateOf(path: Path): PathState {
    let state = this.#paths.get(path.key)
    if (state === undefined) {
      state = new PathState(path)
      this.#paths.set(path.key, state)
    }
    return state
  }

  #enqueue(lane: Lane): void {
    lane.queued = true
    lane.company.ring.push(lane)
    this.#requeue(lane.company)
  }

  #requeue(company: Company): void {
    if (company.queued || company.ring.length === 0) return
    company.queued = true
    this.#ring.push(company)
  }

  /** Out of the ring: among the first few that may have another session, the one with the fewest. */
  #nextCompany(): Company | null {
    let best = -1
    let seen = 0
    for (let i = 0; i < this.#ring.length && seen < CHOICES; i++) {
      const company = this.#ring[i]!
      if (!this.#maySpeak(company)) continue
      seen++
      if (best === -1 || company.busy < this.#ring[best]!.busy) best = i
    }
    if (best === -1) return null
    const [company] = this.#ring.splice(best, 1)
    company!.queued = false
    return company!
  }
}

function largeBytes({ messageSize }: ReadyDelivery): number {
  return messageSize < LARGE_MESSAGE ? 0 : messageSize
}

function waitingFor(company: Company, path: Path): number {
  return company.lanes.get(path.key)?.waiting.length ?? 0
}
