/**
 * Admission control: limits the requests under way and the octets of their bodies, and shares both among companies. A
 * body without room waits unread, so that the connection holds its client back. A client that waits too long, or whose
 * company has too many requests under way, must try again.
 */
import { LoopTurns } from '../../common/loop-turns.ts'
import type { SharedPool } from '../../common/shared-pool.ts'
import type { MemoryPlan } from '../../config/memory-plan.ts'
import type { LoopMonitor } from '../../loop-monitor.ts'
import { Fault } from '../fault.ts'
import { addressGroup } from './address-group.ts'
import { Octets } from './body-octets.ts'
import { Connections } from './connections.ts'
import { fairPool } from './fair-pool.ts'
import { PausedSockets } from './held-back.ts'
import { attach, type CompanyLoad, describeVisit, Visit, type Visitor, visitOf } from './visit.ts'

/** Ms that a body waits for room before its client is told to try again. */
const WAIT = 10_000
/** Seconds after which a client that found no room may try again. */
const RETRY_AFTER = 2
/**
 * While others wait for room, a body must arrive at this many octets a second, and fast enough to be complete within
 * this many ms.
 */
const LEAST_RATE = 16 * 1024
const WHOLE_WITHIN = 30_000
/** Ms that every body is allowed before its rate counts. */
const GRACE = 3_000
/** Bodies from this number of octets on take turns for the main thread. */
const IN_TURN = 16 * 1024
/** Ms between looks for bodies that are too slow, while others wait. */
const LOOK = 250

/** The limits of the admission. */
type AdmissionPlan = Pick<MemoryPlan, 'body' | 'small' | 'large' | 'requests' | 'connections'>

export class Admission {
  readonly connections: Connections
  readonly heldBack = new PausedSockets()
  readonly #plan: AdmissionPlan
  readonly #monitor: LoopMonitor
  readonly #requests: SharedPool
  readonly #small: Octets
  readonly #large: Octets
  readonly #companies = new Map<string, CompanyLoad>()
  /** Visits whose body is still arriving, oldest first. */
  readonly #arriving = new Set<Visit>()
  #looks: NodeJS.Timeout | undefined
  /** Whether a request was refused for lack of a place since the last look. */
  #wanted = false
  #turns = 0
  readonly #turnsOfWork = new LoopTurns()

  constructor(plan: AdmissionPlan, monitor: LoopMonitor) {
    this.#plan = plan
    this.#monitor = monitor
    this.connections = new Connections(plan.connections)
    this.#requests = fairPool(plan.requests)
    this.#small = new Octets('small', plan.small)
    this.#large = new Octets('large', plan.large)
  }

  /** Requests under way, and the memory reserved for them, for the metrics. */
  get counts(): { requests: number; small: number; large: number; waiting: number } {
    return {
      requests: this.#requests.taken,
      small: this.#small.pool.taken,
      large: this.#large.pool.taken,
      waiting: this.#small.waiting.length + this.#large.waiting.length,
    }
  }

  /** The requests that all other companies have under way. */
  besides(companyId: string): number {
    return this.#requests.taken - (this.#companies.get(companyId)?.requests ?? 0)
  }

  /** The most requests that the company may have under way at once, if the others keep theirs. */
  shareOf(companyId: string): number {
    return this.#requests.shareOf(this.#companies.get(companyId)?.requests ?? 0)
  }

  /**
   * Counts a request with a known key until `release`. Throws a Fault when the company already has its share under way,
   * or all places are taken.
   */
  admit(request: Visitor, companyId: string): void {
    let company = this.#companies.get(companyId)
    if (company === undefined) {
      company = { id: companyId, requests: 0, small: 0, large: 0, turn: 0 }
      this.#companies.set(companyId, company)
    }
    if (!this.#requests.allows(company.requests)) {
      if (company.requests === 0) this.#companies.delete(companyId)
      // The look ends requests that hold a place but send too slowly, so that the refused client finds a place when it
      // retries.
      this.#lookSoon()
      this.#wanted = true
      throw this.#full(company.requests)
    }
    const visit = new Visit(request, company, this.connections.busy(request.socket, companyId))
    attach(request, visit)
    this.#requests.take(1)
    company.requests += 1
  }

  /** The company of a request, or else its address group. Long answers of different parties take turns. */
  partyOf(request: Visitor): string {
    return visitOf(request)?.company.id ?? addressGroup(request.socket.remoteAddress ?? '')
  }

  /**
   * Reserves room for a body of this many octets before any of it is read. Returns undefined when there is room now;
   * otherwise a promise that resolves when there is, or rejects with a Fault when none comes free in time.
   */
  reserve(request: Visitor, octets: number): Promise<void> | undefined {
    const visit = visitOf(request)
    if (visit === undefined) return undefined
    visit.expected = octets
    const from = octets < this.#plan.body.large ? this.#small : this.#large
    const cost = octets * this.#plan.body.cost
    if (from.hasRoom(visit.company, cost)) {
      this.#take(from, visit, cost)
      return undefined
    }
    return new Promise((begin, fail) => {
      visit.waits = true
      from.waiting.push({ visit, octets: cost, until: performance.now() + WAIT, begin, fail })
      this.#lookSoon()
    })
  }

  /**
   * Must be called when the body begins to arrive. `giveWay` is called with a Fault when the body is too slow and
   * others need its room.
   */
  arriving(request: Visitor, giveWay: (fault: Fault) => void): Visit | undefined {
    const visit = visitOf(request)
    if (visit === undefined) return undefined
    visit.startedAt = performance.now()
    visit.giveWay = giveWay
    this.#arriving.add(visit)
    return visit
  }

  /** Reserves this many octets beyond those expected. Throws a Fault when there is no room for them. */
  exceed(visit: Visit, octets: number): void {
    const cost = octets * this.#plan.body.cost
    const from = this.#poolOf(visit)
    // The only visit always has room for a body of full size, as if it had reserved all of it at once.
    const alone = from.pool.taken === visit[from.kind] && visit.expected + octets <= this.#plan.body.max
    if (!alone && !from.hasRoom(visit.company, cost)) throw this.#full(visit.company[from.kind])
    visit.expected += octets
    this.#take(from, visit, cost)
  }

  /**
   * Reserves this many octets for files beside the body. Throws a Fault when there is no room for them: the request has
   * failed, and the caller drops its files.
   */
  grow(request: Visitor, octets: number): void {
    const visit = visitOf(request)
    if (visit === undefined) return
    // Counts towards the kind of the request: one with large files is large, however small the body that names them.
    visit.arrived += octets
    try {
      this.exceed(visit, octets)
    } catch (error) {
      this.#dropFiles(visit)
      throw error
    }
    visit.files ??= { small: 0, large: 0 }
    visit.files[this.#poolOf(visit).kind] += octets * this.#plan.body.cost
  }

  /** Frees the files at once: until the answer, another request would lack their room, and fail too. */
  #dropFiles(visit: Visit): void {
    const { files } = visit
    if (files === null) return
    visit.files = null
    for (const from of [this.#small, this.#large]) {
      if (files[from.kind] === 0) continue
      this.#take(from, visit, -files[from.kind])
      this.#serve(from)
    }
  }

  #poolOf({ arrived }: Visit): Octets {
    return arrived < this.#plan.body.large ? this.#small : this.#large
  }

  /** Must be called when `arrived` octets of the body have arrived and work on them begins. */
  received(visit: Visit, arrived: number): void {
    visit.arrived = arrived
    this.#monitor.on(describeVisit, visit)
  }

  /** Must be called when no more of the body will be read. */
  ended(visit: Visit): void {
    this.#arriving.delete(visit)
  }

  /**
   * Must be called when the whole body has arrived. Calls `begin` when work on it may begin: at once for a body of
   * usual size.
   */
  arrived(visit: Visit, begin: () => void): void {
    this.#arriving.delete(visit)
    if (visit.arrived < IN_TURN) begin()
    else this.#turnsOfWork.take(visit.company.id, begin)
  }

  /** Must be called once the request is answered, with any answer. A second call has no effect. */
  release(request: Visitor): void {
    const visit = visitOf(request)
    if (visit === undefined) return
    attach(request, undefined)
    this.#arriving.delete(visit)
    const { company, connection } = visit
    if (connection !== undefined) this.connections.idle(connection)
    this.#requests.give(1)
    company.requests -= 1
    this.#small.pool.give(visit.small)
    company.small -= visit.small
    if (visit.large > 0) {
      this.#large.pool.give(visit.large)
      company.large -= visit.large
    }
    if (company.requests === 0) this.#companies.delete(company.id)
    if (visit.waits) this.#leave(visit)
    if (this.#small.waiting.length > 0) this.#serve(this.#small)
    if (this.#large.waiting.length > 0) this.#serve(this.#large)
  }

  #leave(visit: Visit): void {
    for (const from of [this.#small, this.#large]) {
      from.waiting = from.waiting.filter((one) => one.visit !== visit)
      // Others may have waited behind this visit.
      this.#serve(from)
    }
  }

  close(): void {
    clearTimeout(this.#looks)
  }

  #take(from: Octets, visit: Visit, octets: number): void {
    from.pool.take(octets)
    visit[from.kind] += octets
    visit.company[from.kind] += octets
  }

  /** Serves waiting visits after room was made. */
  #serve(from: Octets): void {
    from.blocked = false
    for (let next = from.next(); next !== undefined; next = from.next()) {
      const { visit, octets } = next
      if (!from.pool.fits(octets)) {
        from.blocked = true
        return
      }
      from.waiting.splice(from.waiting.indexOf(next), 1)
      visit.waits = false
      visit.company.turn = ++this.#turns
      this.#take(from, visit, octets)
      next.begin()
    }
  }

  #lookSoon(): void {
    this.#looks ??= setTimeout(() => {
      this.#looks = undefined
      this.#look()
    }, LOOK)
  }

  #look(): void {
    const now = performance.now()
    for (const from of [this.#small, this.#large]) {
      const late = from.waiting.filter(({ until }) => until <= now)
      if (late.length === 0) continue
      from.waiting = from.waiting.filter(({ until }) => until > now)
      for (const { visit, fail } of late) fail(this.#full(visit.company[from.kind]))
      this.#serve(from)
    }
    const waiting = this.#small.waiting.length + this.#large.waiting.length > 0
    if (waiting || this.#wanted) this.#giveWay(now)
    this.#wanted = false
    if (waiting) this.#lookSoon()
  }

  /** Ends the requests whose bodies arrive too slowly. */
  #giveWay(now: number): void {
    for (const visit of this.#arriving) {
      const took = now - visit.startedAt
      const rate = Math.max(LEAST_RATE / 1_000, visit.expected / WHOLE_WITHIN)
      if (took > GRACE && visit.arrived < rate * took) {
        visit.giveWay(
          new Fault({
            code: 'http_malformed',
            status: 408,
            detail: 'The request arrived too slowly while other requests needed its place.',
          }),
        )
      }
    }
  }

  /** `held`: the amount of the missing resource that the company itself holds. */
  #full(held: number): Fault {
    return held > 0
      ? new Fault({ code: 'too_much_under_way', retryAfter: RETRY_AFTER })
      : new Fault({ code: 'overloaded', retryAfter: RETRY_AFTER })
  }
}
