/**
 * Who may take more: requests under way, and octets of their bodies until they are answered, shared by companies. What
 * has no room now waits without being read, so that the client's own connection holds it back; who waits too long, or
 * has too many requests under way, is told to come again.
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
import { HeldBack } from './held-back.ts'
import { attach, type Company, describeVisit, Visit, type Visitor, visitOf } from './visit.ts'

/** Ms a body waits for room before its client is told to come again. */
const WAIT = 10_000
/** Seconds after which a client that found no room may try again. */
const RETRY_AFTER = 2
/**
 * While others wait for room, a body has to arrive at this many octets a second, and fast enough to be whole in so many
 * ms.
 */
const LEAST_RATE = 16 * 1024
const WHOLE_WITHIN = 30_000
/** Ms that every body has to begin with. */
const GRACE = 3_000
/** From so many octets on a body takes its turn at the main thread. */
const IN_TURN = 16 * 1024
/** Ms between looks for bodies that are too slow, while others wait. */
const LOOK = 250

/** What the admission goes by. */
export type AdmissionPlan = Pick<MemoryPlan, 'body' | 'small' | 'large' | 'requests' | 'connections'>

export class Admission {
  readonly connections: Connections
  readonly heldBack = new HeldBack()
  readonly #plan: AdmissionPlan
  readonly #monitor: LoopMonitor
  readonly #requests: SharedPool
  readonly #small: Octets
  readonly #large: Octets
  readonly #companies = new Map<string, Company>()
  /** Those whose body is still to come, in the order in which they began. */
  readonly #arriving = new Set<Visit>()
  #looks: NodeJS.Timeout | undefined
  /** A request found no place since the last look. */
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

  /** Requests under way, and octets that they cost, for the metrics. */
  get counts(): { requests: number; small: number; large: number; waiting: number } {
    return {
      requests: this.#requests.taken,
      small: this.#small.pool.taken,
      large: this.#large.pool.taken,
      waiting: this.#small.waiting.length + this.#large.waiting.length,
    }
  }

  /**
   * Counts a request whose key is known, until `release`. Throws a Fault when the company has its share of requests
   * under way, or all there is is taken.
   */
  admit(request: Visitor, companyId: string): void {
    let company = this.#companies.get(companyId)
    if (company === undefined) {
      company = { id: companyId, requests: 0, small: 0, large: 0, turn: 0 }
      this.#companies.set(companyId, company)
    }
    if (!this.#requests.allows(company.requests)) {
      if (company.requests === 0) this.#companies.delete(companyId)
      // Who takes a place and sends nothing leaves it to those who have something to send, for their next try.
      this.#lookSoon()
      this.#wanted = true
      throw this.#full(company.requests)
    }
    const visit = new Visit(request, company, this.connections.busy(request.socket, companyId))
    attach(request, visit)
    this.#requests.take(1)
    company.requests += 1
  }

  /** The company of a request, or its address: its answer takes their turns. */
  partyOf(request: Visitor): string {
    return visitOf(request)?.company.id ?? addressGroup(request.socket.remoteAddress ?? '')
  }

  /**
   * Asks for room for a body of so many octets, before any of it is read. Undefined when there is; else a promise of
   * it, which rejects with a Fault when none was made in time.
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
   * The body of the request is arriving from now on; `giveWay` is called with a Fault when it is too slow and others
   * need its room.
   */
  arriving(request: Visitor, giveWay: (fault: Fault) => void): Visit | undefined {
    const visit = visitOf(request)
    if (visit === undefined) return undefined
    visit.startedAt = performance.now()
    visit.giveWay = giveWay
    this.#arriving.add(visit)
    return visit
  }

  /** Notes that so many octets more than expected have come. Throws a Fault when there is no room for them. */
  exceed(visit: Visit, octets: number): void {
    const cost = octets * this.#plan.body.cost
    const from = visit.arrived < this.#plan.body.large ? this.#small : this.#large
    // One alone always has room for a body of full size, as if it had asked for all of it at once.
    const alone = from.pool.taken === visit[from.kind] && visit.expected + octets <= this.#plan.body.max
    if (!alone && !from.hasRoom(visit.company, cost)) throw this.#full(visit.company[from.kind])
    visit.expected += octets
    this.#take(from, visit, cost)
  }

  /** Notes that a request needs so many octets beside its body. Throws a Fault when there is no room for them. */
  grow(request: Visitor, octets: number): void {
    const visit = visitOf(request)
    if (visit === undefined) return
    // Large files are large, however small the body that names them.
    visit.arrived += octets
    this.exceed(visit, octets)
  }

  /** So many octets of the body have arrived, and are worked on from here on. */
  received(visit: Visit, arrived: number): void {
    visit.arrived = arrived
    this.#monitor.on(describeVisit, visit)
  }

  /** No more of the body will be read. */
  ended(visit: Visit): void {
    this.#arriving.delete(visit)
  }

  /** The whole body is there: `begin` is called when it may be worked on, which is at once for that of a usual mail. */
  arrived(visit: Visit, begin: () => void): void {
    this.#arriving.delete(visit)
    if (visit.arrived < IN_TURN) begin()
    else this.#turnsOfWork.take(visit.company.id, begin)
  }

  /** To be called once the request is answered, whatever the answer; again is without effect. */
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
      // It may be the one that the others waited for.
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

  /** Room was made. */
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
            detail: 'The request arrived too slowly while others needed its place.',
          }),
        )
      }
    }
  }

  /** `held`: what the company itself has of what is missing. */
  #full(held: number): Fault {
    return held > 0
      ? new Fault({ code: 'too_much_under_way', retryAfter: RETRY_AFTER })
      : new Fault({ code: 'overloaded', retryAfter: RETRY_AFTER })
  }
}
