import { SharedPool } from '../common/shared-pool.ts'
import { LARGE_MESSAGE } from '../delivery/delivery.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../store/store.ts'
import { Fifo } from './fifo.ts'
import type { SiteLimits } from './session-limits.ts'

/** A delivery that may start as soon as a session is free. */
export interface ReadyDelivery {
  companyId: string
  /** Where it goes: a recipient domain, or `relay`, `capture`, `simulator`. One site has one limit of sessions. */
  site: string
  email: ClaimedEmail
  /** Those of the email's recipients it is for. */
  recipients: ClaimedRecipient[]
  leaseToken: number
  /** Octets it holds in memory while it waits: its share of the email's. */
  size: number
  /** Octets of the message: once it is begun it has a copy of its own, whoever else gets the same email. */
  messageSize: number
}

export interface ReadyLimits {
  /** Sessions at once, altogether and to one site. */
  concurrency: number
  siteConcurrency: number
  /**
   * What may wait in memory: deliveries, and octets of messages (those under way included). Companies that hold nothing yet
   * may go beyond, by octets up to twice as far.
   */
  maxDeliveries: number
  maxBytes: number
  /** Octets of large messages under way, in the same way. */
  maxLargeBytes: number
  /** Deliveries of one company waiting for one site. */
  maxPerLane: number
}

/**
 * A company may have up to this many times the sessions that are free: one company alone about three quarters of all, a
 * second most of the rest, and so on.
 */
const SESSIONS_OF_FREE = 3
/** This part of all sessions is kept for companies that have none: each may take one of them. */
const KEPT_FOR_NEWCOMERS = 1 / 10

/** The deliveries of one company for one site, in order. */
class Lane {
  readonly company: Company
  readonly site: Site
  readonly waiting = new Fifo<ReadyDelivery>()
  /** In the company's ring, parked at a site that has no session free, or set aside; else it is empty. */
  queued = false
  constructor(company: Company, site: Site) {
    this.company = company
    this.site = site
  }
}

class Site {
  busy = 0
  /** Lanes that lead here; the site is forgotten when there are none and nothing is busy. */
  lanes = 0
  /** Lanes that have work but wait for a session to this site, oldest first. */
  readonly parked = new Fifo<Lane>()
  readonly name: string
  constructor(name: string) {
    this.name = name
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
  readonly lanes = new Map<string, Lane>()
  queued = false
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

const NOT_NARROWED = { of: () => Number.POSITIVE_INFINITY }

/** How many companies at the front of the ring are compared for the fewest busy sessions. */
const CHOICES = 8

/**
 * Whom can we talk to now? Ready deliveries per company and site, served so that nobody waits for somebody else: companies
 * take turns, those with fewer open sessions first; within a company its sites take turns; a site without a free session
 * parks its lanes and blocks nobody.
 *
 * A message that is sent is in memory several times over: as it was stored, as composed, as cut for the wire. So large ones are
 * begun only while those under way leave room; a lane that begins with one is set aside until then.
 *
 * Sessions, places and octets are shared by one rule: a company may take more only while what it has is less than (a
 * multiple of) what is free. So the more companies press, the less each may hold, and something is left for one that has
 * nothing yet; that one gets a place whatever the limits say, and a session from those kept for such as it.
 */
export class ReadyQueues {
  readonly #limits: ReadyLimits
  readonly #companies = new Map<string, Company>()
  readonly #sites = new Map<string, Site>()
  /** Sites with a free session and parked lanes: their companies were at their share when it came free. */
  readonly #idle = new Set<Site>()
  /** Lanes whose next message is too large for now, oldest first. */
  #aside: Lane[] = []
  #ring: Company[] = []
  readonly #sessions: SharedPool
  readonly #places: SharedPool
  readonly #octets: SharedPool
  readonly #large: SharedPool
  #siteConcurrency: number
  /** Where a site lets us have fewer sessions than others. */
  readonly #narrowed: Pick<SiteLimits, 'of'>

  constructor(limits: ReadyLimits, narrowed: Pick<SiteLimits, 'of'> = NOT_NARROWED) {
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
    this.#siteConcurrency = limits.siteConcurrency
    this.#narrowed = narrowed
  }

  /** Sessions at once to one site from now on. What is open beyond stays open. */
  set siteConcurrency(sessions: number) {
    const more = sessions > this.#siteConcurrency
    this.#siteConcurrency = sessions
    if (!more) return
    for (const site of this.#sites.values()) {
      if (site.parked.length > 0) this.#idle.add(site)
      for (let free = sessions - site.busy; free > 0 && this.#unpark(site); free--);
    }
  }

  /** Deliveries waiting here, not counting those under way. */
  get waiting(): number {
    return this.#places.taken
  }
  get busy(): number {
    return this.#sessions.taken
  }
  /** Sessions busy with this site. */
  busyAt(site: string): number {
    return this.#sites.get(site)?.busy ?? 0
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

  /** May this company add work for this site? */
  hasRoom(companyId: string, site: string): boolean {
    const company = this.#companies.get(companyId)
    if (company === undefined) return !this.overfull
    return this.#mayHold(company, 1) && this.#lane(company, site) < this.#limits.maxPerLane
  }

  /** Is it worth fetching more work of this company for this site? Sooner than never, later than for each single place. */
  wants(companyId: string, site: string): boolean {
    const company = this.#companies.get(companyId)
    if (company === undefined) return !this.overfull
    return this.#mayHold(company, 2) && this.#lane(company, site) * 2 < this.#limits.maxPerLane
  }

  /** What takes no more: single lanes as `companyId\0site`, and whole companies. */
  full(): { skip: string[]; skipCompanies: string[] } {
    const skip: string[] = []
    const skipCompanies: string[] = []
    for (const company of this.#companies.values()) {
      if (!this.#mayHold(company, 1)) skipCompanies.push(company.id)
      else {
        for (const [site, lane] of company.lanes) {
          if (lane.waiting.length >= this.#limits.maxPerLane) skip.push(`${company.id}\0${site}`)
        }
      }
    }
    return { skip, skipCompanies }
  }

  push(ready: ReadyDelivery): void {
    const company = this.#company(ready.companyId)
    let lane = company.lanes.get(ready.site)
    if (lane === undefined) {
      lane = new Lane(company, this.#site(ready.site))
      lane.site.lanes++
      company.lanes.set(ready.site, lane)
    }
    lane.waiting.push(ready)
    company.held++
    company.bytes += ready.size
    this.#places.take(1)
    this.#octets.take(ready.size)
    if (!lane.queued) this.#enqueue(lane)
  }

  /** The next delivery to start, or null when there is none or no session is free. Call `done` when it has ended. */
  take(): ReadyDelivery | null {
    while (!this.#sessions.exhausted) {
      const company = this.#nextCompany()
      if (company === null) return null
      const lane = company.ring.shift()!
      const site = lane.site
      if (this.#isFull(site)) {
        site.parked.push(lane)
        this.#requeue(company)
        continue
      }
      const large = largeBytes(lane.waiting.first!)
      if (large > 0 && !this.#mayBeginLarge(company)) {
        this.#aside.push(lane)
        this.#requeue(company)
        // The session that it leaves unused is for the next in line.
        this.#unpark(site)
        continue
      }
      const ready = lane.waiting.shift()!
      company.largeBytes += large
      this.#large.take(large)
      site.busy++
      company.busy++
      this.#sessions.take(1)
      company.held--
      this.#places.give(1)
      if (lane.waiting.length > 0) company.ring.push(lane)
      else {
        lane.queued = false
        site.lanes--
        company.lanes.delete(site.name)
      }
      this.#requeue(company)
      return ready
    }
    return null
  }

  /** The delivery has ended: its session is free for the next. */
  done(ready: ReadyDelivery): void {
    const site = this.#site(ready.site)
    const company = this.#company(ready.companyId)
    site.busy--
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
    if (site.parked.length > 0) this.#idle.add(site)
    for (const idle of this.#idle) this.#unpark(idle)
    if (site.busy === 0 && site.lanes === 0) this.#sites.delete(site.name)
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
        lane.site.lanes--
      }
      company.lanes.clear()
      company.held = 0
      while (company.ring.shift() !== undefined);
      company.queued = false
    }
    for (const site of this.#sites.values()) while (site.parked.shift() !== undefined);
    this.#idle.clear()
    this.#aside = []
    this.#ring = []
    return rest
  }

  #isFull({ name, busy }: Site): boolean {
    return busy >= this.#siteConcurrency || busy >= this.#narrowed.of(name)
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

  #lane(company: Company, site: string): number {
    return company.lanes.get(site)?.waiting.length ?? 0
  }

  /** Gives a free session of the site to the first parked lane whose company may use it. False when there is none. */
  #unpark(site: Site): boolean {
    if (this.#isFull(site) || site.parked.length === 0) {
      this.#idle.delete(site)
      return false
    }
    for (let looks = site.parked.length; looks > 0; looks--) {
      const lane = site.parked.shift()!
      if (!this.#maySpeak(lane.company)) {
        site.parked.push(lane)
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

  #site(name: string): Site {
    let site = this.#sites.get(name)
    if (site === undefined) {
      site = new Site(name)
      this.#sites.set(name, site)
    }
    return site
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
