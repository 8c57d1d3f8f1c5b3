import { monotonic } from '../common/clock.ts'
import { SharedPool } from '../common/shared-pool.ts'
import { Tally } from '../common/tally.ts'
import { LARGE_MESSAGE } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import { LEAST_WAITING } from '../delivery/path/path-finder.ts'
import { mayFollow, type ReadyDelivery } from './deliveries.ts'
import { Fifo } from './fifo.ts'
import { type HoldingLimits, Holdings } from './holdings.ts'
import { RecentCount } from './recent-count.ts'

export interface ReadyLimits extends HoldingLimits {
  /** Sessions at once, altogether. The limit of a path: session-limits.ts. */
  concurrency: number
  /**
   * The most octets of large messages under way. Companies that have none under way may exceed it, up to twice this
   * number in all.
   */
  maxLargeBytes: number
}

/** How much of a path the mail of one company may use now. */
export interface CompanyAllowance {
  limitOf(path: Path, companyId: string): number
  takesMore(path: Path, companyId: string): boolean
  /** The most deliveries that wait here. */
  mostWaiting(path: Path, companyId: string): number
}

const UNLIMITED: CompanyAllowance = {
  limitOf: () => Number.POSITIVE_INFINITY,
  takesMore: () => true,
  mostWaiting: ({ limits }) => limits.waiting,
}

export interface LimitedLane {
  companyId: string
  path: Path
  waiting: Iterable<ReadyDelivery>
  /** How many more deliveries may wait here; 0: the lane is full. */
  room: number
}

/** Companies and lanes that have no room for more work, or little. */
export interface FullQueues {
  companies: string[]
  /** Lanes of companies that have room, with less room than a claim may bring. */
  lanes: LimitedLane[]
}

/** A claim brings no more than this of one company. */
export const CLAIM_PER_COMPANY = 125

/** Where several nodes deliver, the deliveries that wait for each session. */
const WAITING_PER_SESSION = 2
/** Or as many as have begun within so many seconds, or as wait for the slowest site, if these are more. */
const BEGUN_WITHIN_S = 5

/**
 * A company may use up to this many times as many sessions as are free: one company alone about three quarters of all,
 * a second most of the rest, and so on.
 */
const SESSIONS_OF_FREE = 3
/** This part of all sessions is kept for companies that have none: each may take one of them. */
const KEPT_FOR_NEWCOMERS = 1 / 10

/** The deliveries of one company for one path, in order. */
class PathLane {
  readonly company: CompanyQueue
  readonly state: PathState
  readonly waiting = new Fifo<ReadyDelivery>()
  /**
   * True: the lane is in the company's ring, parked at a path without a free session, or set aside. False: the lane is
   * empty.
   */
  queued = false
  constructor(company: CompanyQueue, state: PathState) {
    this.company = company
    this.state = state
  }
}

/** The current use of a path. */
class PathState {
  busy = 0
  /** Busy sessions of each company. */
  readonly busyOf = new Tally()
  /** Lanes of the path; the path is forgotten when it has none and no session is busy. */
  lanes = 0
  /** Deliveries begun of late; null: not counted. */
  begun: RecentCount | null = null
  /** Lanes that have work but wait for a session of this path, oldest first. */
  readonly parked = new Fifo<PathLane>()
  /** The newest path object with this key: the limits of a site may change. */
  path: Path
  constructor(path: Path) {
    this.path = path
  }
}

class CompanyQueue {
  busy = 0
  /** Octets of large messages under way. */
  largeBytes = 0
  /** Lanes that can be served now, in turn. */
  readonly ring = new Fifo<PathLane>()
  /** By key of the path. */
  readonly lanes = new Map<string, PathLane>()
  queued = false
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

/** Companies at the front of the ring that are compared for the fewest busy sessions. */
const CHOICES = 8

/**
 * Ready deliveries per company and path, served so that no company waits for another: companies take turns, those with
 * fewer open sessions first; within a company its paths take turns; a path without a free session parks its lanes and
 * blocks no other path.
 *
 * While a message is sent it is in memory several times: as stored, as composed, as cut for the wire. So a large
 * message is begun only while those under way leave room; a lane whose next message is a large one is set aside until
 * then.
 *
 * Sessions are shared by the rule of memory (holdings.ts): a company may take another session only while it has less
 * than three times as many as are free. A company that has none gets one of the sessions kept for that.
 *
 * When the servers of a path take less mail from one company, only that company's lane is parked there.
 */
export class ReadyQueues {
  /** Deliveries that wait here or for their path to be looked up, and those under way. */
  readonly holdings: Holdings
  readonly #companies = new Map<string, CompanyQueue>()
  /** By key of the path. */
  readonly #paths = new Map<string, PathState>()
  /**
   * Paths that have a free session although lanes are parked there, because the companies of these lanes were at their
   * share when the session came free.
   */
  readonly #idle = new Set<PathState>()
  /** Deliveries that have begun behind another delivery on its session, each with that other one. */
  readonly #before = new Map<ReadyDelivery, ReadyDelivery>()
  /** The same pairs, the other way round. */
  readonly #behind = new Map<ReadyDelivery, ReadyDelivery>()
  /** Deliveries whose sessions do not count among all sessions, because others have taken their places. */
  readonly #uncounted = new Set<ReadyDelivery>()
  /** Lanes whose next message is too large for now, oldest first. */
  #aside: PathLane[] = []
  #ring: CompanyQueue[] = []
  readonly #sessions: SharedPool
  readonly #large: SharedPool
  readonly #limitOf: (path: Path) => number
  readonly #takesMore: (path: Path) => boolean
  readonly #ofCompany: CompanyAllowance
  /**
   * True: other nodes deliver as well. Then little waits here for a path that is slow, so that they get their share of
   * it.
   */
  shared = false

  /**
   * `limitOf`: how many sessions a path may have; `takesMore`: whether it may have another message now; `ofCompany`:
   * both for the mail of one company on the path.
   */
  constructor(
    limits: ReadyLimits,
    limitOf: (path: Path) => number,
    takesMore: (path: Path) => boolean = () => true,
    ofCompany: CompanyAllowance = UNLIMITED,
  ) {
    const { concurrency, maxLargeBytes } = limits
    this.holdings = new Holdings(limits)
    this.#sessions = new SharedPool({
      size: concurrency,
      kept: Math.ceil(concurrency * KEPT_FOR_NEWCOMERS),
      timesFree: SESSIONS_OF_FREE,
    })
    // The pool is twice as large: half of it is kept for companies that have no large message under way.
    this.#large = new SharedPool({ size: 2 * maxLargeBytes, kept: maxLargeBytes, timesFree: 1 })
    this.#limitOf = limitOf
    this.#takesMore = takesMore
    this.#ofCompany = ofCompany
  }

  /** Applies changed limits of paths. Sessions open beyond a new limit stay open. */
  limitsChanged(): void {
    for (const state of this.#paths.values()) this.#reopen(state)
  }

  /** Must be called when the path with this key may have another message. */
  pathFree(key: string): void {
    const state = this.#paths.get(key)
    if (state !== undefined) this.#reopen(state)
  }

  /** Busy sessions. */
  get busy(): number {
    return this.#sessions.taken + this.#uncounted.size
  }

  /** All sessions. */
  get concurrency(): number {
    return this.#sessions.size
  }

  sessionsOf(companyId: string): number {
    return this.#companies.get(companyId)?.busy ?? 0
  }

  /** The number of sessions of each company that has work and waits for a session. */
  *waitingCompanies(): Generator<number> {
    for (const company of this.#ring)
      if (this.#sessions.exhausted || !this.#maySpeak(company)) yield company.busy
  }

  /**
   * Lets another session take the place of this one while it stays open. False when there are as many such as there may
   * be sessions.
   */
  uncount(ready: ReadyDelivery): boolean {
    if (this.#uncounted.has(ready) || this.#before.has(ready)) return false
    if (this.#uncounted.size >= this.concurrency) return false
    this.#uncounted.add(ready)
    this.#sessions.give(1)
    return true
  }

  isUncounted(ready: ReadyDelivery): boolean {
    return this.#uncounted.has(ready)
  }

  /** Busy sessions on this path, or those of one company. */
  busyOn(path: Path, companyId?: string): number {
    const state = this.#paths.get(path.key)
    return (companyId === undefined ? state?.busy : state?.busyOf.of(companyId)) ?? 0
  }

  /** The deliveries that wait here, in no particular order. None may be added or taken during the iteration. */
  *deliveries(): Generator<ReadyDelivery> {
    for (const { lanes } of this.#companies.values()) for (const lane of lanes.values()) yield* lane.waiting
  }

  /** Tells whether the company may add work for this path, beside deliveries that are to come. */
  hasRoom(companyId: string, path: Path, toCome = 0): boolean {
    const waiting = this.waitingFor(companyId, path) + toCome
    return this.holdings.allow(companyId) && waiting < this.#mostOf(path, companyId)
  }

  /**
   * Whether to fetch more work of this company for this path: before the lane is empty, but not for each place that
   * becomes free.
   */
  wants(companyId: string, path: Path): boolean {
    return (
      this.holdings.allow(companyId, 2) &&
      this.waitingFor(companyId, path) * 2 < this.#mostOf(path, companyId)
    )
  }

  full(): FullQueues {
    const full: FullQueues = { companies: this.holdings.full(), lanes: [] }
    const companies = new Set(full.companies)
    for (const { id, lanes } of this.#companies.values()) {
      if (companies.has(id)) continue
      for (const { waiting, state } of lanes.values()) {
        const { path } = state
        const most = this.#mostOf(path, id)
        const room = Math.max(0, most - waiting.length)
        // A path that lets much wait is looked at when it is full: naming its domains costs more than it saves.
        if (room === 0 || most < CLAIM_PER_COMPANY) {
          full.lanes.push({ companyId: id, path, waiting, room })
        }
      }
    }
    return full
  }

  /** The most deliveries of one company that wait here for the path. */
  #mostOf(path: Path, companyId: string): number {
    const waiting = this.#ofCompany.mostWaiting(path, companyId)
    if (!this.shared) return waiting
    const sessions = this.#limitOf(path)
    if (sessions === 0) return 0
    const begun = this.#paths.get(path.key)?.begun?.total(monotonic()) ?? 0
    return Math.min(waiting, Math.max(WAITING_PER_SESSION * sessions, begun, LEAST_WAITING))
  }

  push(ready: ReadyDelivery): void {
    const company = this.#company(ready.email.companyId)
    const { path } = ready
    let lane = company.lanes.get(path.key)
    if (lane === undefined) {
      lane = new PathLane(company, this.#stateOf(path))
      lane.state.lanes++
      company.lanes.set(path.key, lane)
    }
    lane.state.path = path
    lane.waiting.push(ready)
    this.holdings.add(ready)
    if (!lane.queued) this.#enqueue(lane)
  }

  /** The next delivery to start, or null when there is none or no session is free. Call `done` when it has ended. */
  take(): ReadyDelivery | null {
    while (!this.#sessions.exhausted) {
      const at = this.#inTurn()
      if (at === -1) return null
      const company = this.#leaveRing(at)
      const lane = company.ring.shift()!
      const state = lane.state
      if (this.#isFull(state) || this.#isAtLimit(lane)) {
        state.parked.push(lane)
        this.#requeue(company)
        continue
      }
      const large = largeBytes(lane.waiting.first!)
      if (large > 0 && !this.#mayBeginLarge(company)) {
        this.#aside.push(lane)
        this.#requeue(company)
        // The lane cannot use the session, so the next lane gets it.
        this.#unpark(state)
        continue
      }
      const ready = this.#begin(lane)
      this.#occupy(ready)
      return ready
    }
    return null
  }

  /**
   * The delivery that would get the session of `before` if that came free now, in case it may follow on the same
   * session; otherwise null. It has no session of its own until `before` is done.
   */
  takeBehind(before: ReadyDelivery): ReadyDelivery | null {
    if (this.#behind.has(before)) return null
    let holder = before
    for (let earlier = this.#before.get(holder); earlier; earlier = this.#before.get(holder)) holder = earlier
    // Its session does not count, so the next delivery would have none.
    if (this.#uncounted.has(holder)) return null
    this.#vacate(holder)
    const next = this.#takeFollowing(before)
    this.#occupy(holder)
    if (next === null) return null
    this.#before.set(next, before)
    this.#behind.set(before, next)
    return next
  }

  /** The delivery continues on a session of its own. The delivery behind it keeps the former session. */
  part(before: ReadyDelivery): void {
    const next = this.#behind.get(before)
    if (next === undefined) return
    this.#behind.delete(before)
    this.#before.delete(next)
    this.#occupy(next)
  }

  /** The delivery has ended: its session is free for the next, or passes to the one behind it. */
  done(ready: ReadyDelivery): void {
    const state = this.#stateOf(ready.path)
    const company = this.#company(ready.email.companyId)
    const next = this.#behind.get(ready)
    const before = this.#before.get(ready)
    this.#behind.delete(ready)
    this.#before.delete(ready)
    if (before === undefined) this.#vacate(ready)
    else this.#behind.delete(before)
    if (next !== undefined) {
      this.#before.delete(next)
      if (before === undefined) this.#occupy(next)
      else {
        this.#before.set(next, before)
        this.#behind.set(before, next)
      }
    }
    this.holdings.finish(ready)
    const large = largeBytes(ready)
    if (large > 0) {
      company.largeBytes -= large
      this.#large.give(large)
      this.#resume()
    }
    if (state.parked.length > 0) this.#idle.add(state)
    for (const idle of this.#idle) this.#unpark(idle)
    if (state.busy === 0 && state.lanes === 0) this.#paths.delete(state.path.key)
    if (company.busy === 0 && company.lanes.size === 0) this.#companies.delete(company.id)
  }

  /** Removes what has not started on the paths that `isLeft` names. */
  withdraw(isLeft: (path: Path) => boolean): ReadyDelivery[] {
    const left = [...this.#companies.values()].flatMap(({ lanes }) => [...lanes.values()])
    const removed: ReadyDelivery[] = []
    for (const lane of left) {
      if (!isLeft(lane.state.path)) continue
      const { company, state } = lane
      for (let ready = lane.waiting.shift(); ready !== undefined; ready = lane.waiting.shift()) {
        this.holdings.remove(ready)
        removed.push(ready)
      }
      state.parked.remove(lane)
      company.ring.remove(lane)
      this.#aside = this.#aside.filter((other) => other !== lane)
      if (company.queued && company.ring.length === 0) {
        this.#ring = this.#ring.filter((other) => other !== company)
        company.queued = false
      }
      lane.queued = false
      company.lanes.delete(state.path.key)
      state.lanes--
      if (state.busy === 0 && state.lanes === 0) this.#paths.delete(state.path.key)
      if (company.busy === 0 && company.lanes.size === 0) this.#companies.delete(company.id)
    }
    return removed
  }

  /** Removes everything that has not started (to give it back at a stop). */
  drain(): ReadyDelivery[] {
    const rest: ReadyDelivery[] = []
    for (const company of this.#companies.values()) {
      for (const lane of company.lanes.values()) {
        for (let ready = lane.waiting.shift(); ready !== undefined; ready = lane.waiting.shift()) {
          this.holdings.remove(ready)
          rest.push(ready)
        }
        lane.queued = false
        lane.state.lanes--
      }
      company.lanes.clear()
      while (company.ring.shift() !== undefined);
      company.queued = false
    }
    for (const { parked } of this.#paths.values()) while (parked.shift() !== undefined);
    this.#idle.clear()
    this.#aside = []
    this.#ring = []
    return rest
  }

  #takeFollowing(before: ReadyDelivery): ReadyDelivery | null {
    const state = this.#stateOf(before.path)
    if (this.#isFull(state)) return null
    const at = this.#inTurn()
    const lane = at === -1 ? this.#firstParked(state) : this.#ring[at]!.ring.first!
    if (lane?.state !== state || this.#isAtLimit(lane) || !mayFollow(lane.waiting.first!, before)) return null
    if (at === -1) {
      for (let first = state.parked.shift(); first !== lane; first = state.parked.shift())
        state.parked.push(first!)
      return this.#begin(lane, state.parked)
    }
    this.#leaveRing(at).ring.shift()
    return this.#begin(lane)
  }

  /** Takes the first delivery of a lane, and moves the lane to the end of the ring that it came from. */
  #begin(lane: PathLane, lanes = lane.company.ring): ReadyDelivery {
    const { company, state } = lane
    const ready = lane.waiting.shift()!
    if (this.shared) {
      state.begun ??= new RecentCount(BEGUN_WITHIN_S, 1_000)
      state.begun.add(monotonic())
    }
    const large = largeBytes(ready)
    company.largeBytes += large
    this.#large.take(large)
    this.holdings.begin(ready)
    if (lane.waiting.length > 0) lanes.push(lane)
    else {
      lane.queued = false
      state.lanes--
      company.lanes.delete(state.path.key)
    }
    this.#requeue(company)
    return ready
  }

  /** The delivery has a session. */
  #occupy({ path, email: { companyId } }: ReadyDelivery): void {
    const state = this.#stateOf(path)
    state.busy++
    state.busyOf.add(companyId, 1)
    this.#company(companyId).busy++
    this.#sessions.take(1)
  }

  #vacate(ready: ReadyDelivery): void {
    const { path, email } = ready
    const { companyId } = email
    const state = this.#stateOf(path)
    state.busy--
    state.busyOf.add(companyId, -1)
    this.#company(companyId).busy--
    if (!this.#uncounted.delete(ready)) this.#sessions.give(1)
  }

  #isFull({ path, busy }: PathState): boolean {
    return busy >= this.#limitOf(path) || !this.#takesMore(path)
  }

  /** The company has as many sessions or messages on the path as it may have now. */
  #isAtLimit({ company, state: { path, busyOf } }: PathLane): boolean {
    const { limitOf, takesMore } = this.#ofCompany
    return busyOf.of(company.id) >= limitOf(path, company.id) || !takesMore(path, company.id)
  }

  #reopen(state: PathState): void {
    if (state.parked.length > 0) this.#idle.add(state)
    for (let free = this.#limitOf(state.path) - state.busy; free > 0 && this.#unpark(state); free--);
  }

  #maySpeak(company: CompanyQueue): boolean {
    return company.busy === 0 || this.#sessions.allows(company.busy)
  }

  #mayBeginLarge(company: CompanyQueue): boolean {
    return this.#large.allows(company.largeBytes)
  }

  /** Called when fewer large messages are under way. Lanes that now have room return to the ring. */
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
    let waitsForShare = false
    for (let looks = state.parked.length; looks > 0; looks--) {
      const lane = state.parked.shift()!
      const isAtLimit = this.#isAtLimit(lane)
      if (!isAtLimit && this.#maySpeak(lane.company)) {
        lane.company.ring.push(lane)
        this.#requeue(lane.company)
        return true
      }
      waitsForShare ||= !isAtLimit
      state.parked.push(lane)
    }
    // Lanes at the limit of their company on the path return when a delivery on it ends, or with `pathFree`. Checking
    // them after every delivery would cost too much time with a thousand such paths.
    if (!waitsForShare) this.#idle.delete(state)
    return false
  }

  /** The lane that `#unpark` gives a free session to. */
  #firstParked({ parked }: PathState): PathLane | undefined {
    for (const lane of parked) if (this.#maySpeak(lane.company) && !this.#isAtLimit(lane)) return lane
    return undefined
  }

  /** The company's deliveries that wait here for the path. */
  waitingFor(companyId: string, path: Path): number {
    return this.#companies.get(companyId)?.lanes.get(path.key)?.waiting.length ?? 0
  }

  #company(id: string): CompanyQueue {
    let company = this.#companies.get(id)
    if (company === undefined) {
      company = new CompanyQueue(id)
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

  #enqueue(lane: PathLane): void {
    lane.queued = true
    lane.company.ring.push(lane)
    this.#requeue(lane.company)
  }

  #requeue(company: CompanyQueue): void {
    if (company.queued || company.ring.length === 0) return
    company.queued = true
    this.#ring.push(company)
  }

  /**
   * The place in the ring of the next company: among the first few that may have another session, the one with the
   * fewest sessions. -1 when there is none.
   */
  #inTurn(): number {
    let best = -1
    let seen = 0
    for (let i = 0; i < this.#ring.length && seen < CHOICES; i++) {
      const company = this.#ring[i]!
      if (!this.#maySpeak(company)) continue
      seen++
      if (best === -1 || company.busy < this.#ring[best]!.busy) best = i
    }
    return best
  }

  #leaveRing(at: number): CompanyQueue {
    const [company] = this.#ring.splice(at, 1)
    company!.queued = false
    return company!
  }
}

function largeBytes({ messageSize }: ReadyDelivery): number {
  return messageSize < LARGE_MESSAGE ? 0 : messageSize
}
