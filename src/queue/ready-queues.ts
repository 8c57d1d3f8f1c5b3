import { SharedPool } from '../common/shared-pool.ts'
import type { Path } from '../delivery/path/path.ts'
import { mayFollow, type ReadyDelivery } from './deliveries.ts'
import { type HoldingLimits, Holdings } from './holdings.ts'
import { type CompanyQueue, largeBytes, PathLane, type PathState, ReadyLanes } from './ready-lanes.ts'
import { ReadyRoom } from './ready-room.ts'
import { SessionPlaces } from './session-places.ts'

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
interface CompanyAllowance {
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
  /** How much more work may wait here. */
  readonly room: ReadyRoom
  /** The sessions, and the deliveries that have them. */
  readonly places: SessionPlaces
  readonly #lanes = new ReadyLanes()
  /**
   * Paths that have a free session although lanes are parked there, because the companies of these lanes were at their
   * share when the session came free.
   */
  readonly #idle = new Set<PathState>()
  /** Lanes whose next message is too large for now, oldest first. */
  #aside: PathLane[] = []
  #ring: CompanyQueue[] = []
  readonly #large: SharedPool
  readonly #limitOf: (path: Path) => number
  readonly #takesMore: (path: Path) => boolean
  readonly #ofCompany: CompanyAllowance

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
    this.places = new SessionPlaces(this.#lanes, concurrency)
    // The pool is twice as large: half of it is kept for companies that have no large message under way.
    this.#large = new SharedPool({ size: 2 * maxLargeBytes, kept: maxLargeBytes, timesFree: 1 })
    this.#limitOf = limitOf
    this.#takesMore = takesMore
    this.#ofCompany = ofCompany
    const mostWaiting = (path: Path, companyId: string) => ofCompany.mostWaiting(path, companyId)
    this.room = new ReadyRoom({ lanes: this.#lanes, holdings: this.holdings, limitOf, mostWaiting })
  }

  /** Applies changed limits of paths. Sessions open beyond a new limit stay open. */
  limitsChanged(): void {
    for (const state of this.#lanes.paths.values()) this.#reopen(state)
  }

  /** Must be called when the path with this key may have another message. */
  pathFree(key: string): void {
    const state = this.#lanes.paths.get(key)
    if (state !== undefined) this.#reopen(state)
  }

  /** Busy sessions. */
  get busy(): number {
    return this.places.busy
  }

  /** All sessions. */
  get concurrency(): number {
    return this.places.concurrency
  }

  sessionsOf(companyId: string): number {
    return this.#lanes.companies.get(companyId)?.busy ?? 0
  }

  /** The number of sessions of each company that has work and waits for a session. */
  *waitingCompanies(): Generator<number> {
    for (const company of this.#ring)
      if (this.places.exhausted || !this.places.maySpeak(company)) yield company.busy
  }

  /** The deliveries that wait here, in no particular order. None may be added or taken during the iteration. */
  deliveries(): Generator<ReadyDelivery> {
    return this.#lanes.deliveries()
  }

  /** The company's deliveries that wait here for the path. */
  waitingFor(companyId: string, path: Path): number {
    return this.#lanes.waitingFor(companyId, path)
  }

  /** Busy sessions on this path, or those of one company. */
  busyOn(path: Path, companyId?: string): number {
    return this.#lanes.busyOn(path, companyId)
  }

  push(ready: ReadyDelivery): void {
    const company = this.#lanes.company(ready.email.companyId)
    const { path } = ready
    let lane = company.lanes.get(path.key)
    if (lane === undefined) {
      lane = new PathLane(company, this.#lanes.stateOf(path))
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
    while (!this.places.exhausted) {
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
      this.places.occupy(ready)
      return ready
    }
    return null
  }

  /**
   * The delivery that would get the session of `before` if that came free now, in case it may follow on the same
   * session; otherwise null. It has no session of its own until `before` is done.
   */
  takeBehind(before: ReadyDelivery): ReadyDelivery | null {
    if (this.places.isFollowed(before)) return null
    const holder = this.places.holderOf(before)
    // Its session does not count, so the next delivery would have none.
    if (this.places.isUncounted(holder)) return null
    this.places.vacate(holder)
    const next = this.#takeFollowing(before)
    this.places.occupy(holder)
    if (next === null) return null
    this.places.follow(before, next)
    return next
  }

  /** The delivery has ended: its session is free for the next, or passes to the one behind it. */
  done(ready: ReadyDelivery): void {
    const state = this.#lanes.stateOf(ready.path)
    const company = this.#lanes.company(ready.email.companyId)
    this.places.done(ready)
    this.holdings.finish(ready)
    const large = largeBytes(ready)
    if (large > 0) {
      company.largeBytes -= large
      this.#large.give(large)
      this.#resume()
    }
    if (state.parked.length > 0) this.#idle.add(state)
    for (const idle of this.#idle) this.#unpark(idle)
    this.#lanes.forget(company, state)
  }

  /** Removes what has not started on the paths that `isLeft` names. */
  withdraw(isLeft: (path: Path) => boolean): ReadyDelivery[] {
    const left = [...this.#lanes.companies.values()].flatMap(({ lanes }) => [...lanes.values()])
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
      this.#lanes.forget(company, state)
    }
    return removed
  }

  /** Removes everything that has not started (to give it back at a stop). */
  drain(): ReadyDelivery[] {
    const rest: ReadyDelivery[] = []
    for (const company of this.#lanes.companies.values()) {
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
    for (const { parked } of this.#lanes.paths.values()) while (parked.shift() !== undefined);
    this.#idle.clear()
    this.#aside = []
    this.#ring = []
    return rest
  }

  #takeFollowing(before: ReadyDelivery): ReadyDelivery | null {
    const state = this.#lanes.stateOf(before.path)
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
    this.room.begun(state)
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
      if (!isAtLimit && this.places.maySpeak(lane.company)) {
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
    for (const lane of parked) if (this.places.maySpeak(lane.company) && !this.#isAtLimit(lane)) return lane
    return undefined
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
      if (!this.places.maySpeak(company)) continue
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
