/**
 * The sessions of this node, shared among companies, and the deliveries that have them. A delivery that began behind
 * the final dot of another one has no session of its own until that one is done: then the session passes to it.
 */
import { SharedPool } from '../common/shared-pool.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { CompanyQueue, ReadyLanes } from './ready-lanes.ts'

/**
 * A company may use up to this many times as many sessions as are free: one company alone about three quarters of all,
 * a second most of the rest, and so on.
 */
const SESSIONS_OF_FREE = 3
/** This part of all sessions is kept for companies that have none: each may take one of them. */
const KEPT_FOR_NEWCOMERS = 1 / 10

export class SessionPlaces {
  readonly #lanes: ReadyLanes
  readonly #sessions: SharedPool
  /** Deliveries that have begun behind another delivery on its session, each with that other one. */
  readonly #before = new Map<ReadyDelivery, ReadyDelivery>()
  /** The same pairs, the other way round. */
  readonly #behind = new Map<ReadyDelivery, ReadyDelivery>()
  /** Deliveries whose sessions do not count among all sessions, because others have taken their places. */
  readonly #uncounted = new Set<ReadyDelivery>()

  constructor(lanes: ReadyLanes, concurrency: number) {
    this.#lanes = lanes
    this.#sessions = new SharedPool({
      size: concurrency,
      kept: Math.ceil(concurrency * KEPT_FOR_NEWCOMERS),
      timesFree: SESSIONS_OF_FREE,
    })
  }

  /** Busy sessions. */
  get busy(): number {
    return this.#sessions.taken + this.#uncounted.size
  }

  /** All sessions. */
  get concurrency(): number {
    return this.#sessions.size
  }

  /** True when no session is free. */
  get exhausted(): boolean {
    return this.#sessions.exhausted
  }

  /** Whether the company may have another session. */
  maySpeak(company: CompanyQueue): boolean {
    return company.busy === 0 || this.#sessions.allows(company.busy)
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

  /** The delivery has a session. */
  occupy({ path, email: { companyId } }: ReadyDelivery): void {
    const state = this.#lanes.stateOf(path)
    state.busy++
    state.busyOf.add(companyId, 1)
    this.#lanes.company(companyId).busy++
    this.#sessions.take(1)
  }

  vacate(ready: ReadyDelivery): void {
    const { path, email } = ready
    const { companyId } = email
    const state = this.#lanes.stateOf(path)
    state.busy--
    state.busyOf.add(companyId, -1)
    this.#lanes.company(companyId).busy--
    if (!this.#uncounted.delete(ready)) this.#sessions.give(1)
  }

  /** Whether another delivery has begun behind this one. */
  isFollowed(before: ReadyDelivery): boolean {
    return this.#behind.has(before)
  }

  /** The delivery that has the session on which this one was sent. */
  holderOf(ready: ReadyDelivery): ReadyDelivery {
    let holder = ready
    for (let earlier = this.#before.get(holder); earlier; earlier = this.#before.get(holder)) holder = earlier
    return holder
  }

  /** `next` has begun behind the final dot of `before`. */
  follow(before: ReadyDelivery, next: ReadyDelivery): void {
    this.#before.set(next, before)
    this.#behind.set(before, next)
  }

  /** The delivery continues on a session of its own. The delivery behind it keeps the former session. */
  part(before: ReadyDelivery): void {
    const next = this.#behind.get(before)
    if (next === undefined) return
    this.#behind.delete(before)
    this.#before.delete(next)
    this.occupy(next)
  }

  /** The delivery has ended: its session is free, or passes to the one behind it. */
  done(ready: ReadyDelivery): void {
    const next = this.#behind.get(ready)
    const before = this.#before.get(ready)
    this.#behind.delete(ready)
    this.#before.delete(ready)
    if (before === undefined) this.vacate(ready)
    else this.#behind.delete(before)
    if (next === undefined) return
    this.#before.delete(next)
    if (before === undefined) this.occupy(next)
    else this.follow(before, next)
  }
}
