import type { SendingDomain } from '../accounts/account.ts'
import type { Signable } from '../accounts/directory.ts'
import type { NodeMembership } from '../cluster/membership.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import type { Log } from '../common/logging.ts'
import type { Courier } from '../delivery/delivery.ts'
import type { Path, RoutingFields } from '../delivery/path/path.ts'
import type { PathFinder } from '../delivery/path/path-finder.ts'
import { ProbePauses } from '../delivery/route/probe-pauses.ts'
import type { SigningKeys } from '../delivery/signing-keys.ts'
import type { UnsubscribeLinks } from '../email/unsubscribe-link.ts'
import type { Handover, Reservation } from '../intake/handover.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Metrics } from '../metrics.ts'
import type { Lease, NewEmail, Store } from '../store/store.ts'
import { releaseRecord } from './attempt.ts'
import { claimFilter } from './claim-filter.ts'
import { type ClaimCapacity, ClaimLoop } from './claim-loop.ts'
import { deliveriesOf, type ReadyDelivery, UNRESOLVED, workOf } from './deliveries.ts'
import { Outlet, type OutletParts } from './outlet.ts'
import { PathHealth } from './path-health.ts'
import { PromisedPlaces } from './promised-places.ts'
import { type ReadyLimits, ReadyQueues } from './ready-queues.ts'
import { DeliveryResults } from './results.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { SessionLimits } from './session-limits.ts'
import { Stops } from './stops.ts'
import { Suspects } from './suspects.ts'
import { UnresolvedDeliveries } from './unresolved-deliveries.ts'

export interface SchedulerParts {
  store: Store
  courier: Courier
  /** Delivers suspect mail where it can take nothing else down. */
  isolated: Courier
  /** This node's membership in the cluster. It starts before the scheduler and leaves after it. */
  membership: NodeMembership
  /** The places of unrecorded deliveries. */
  unrecorded: Pick<UnrecordedMessages, 'recorded' | 'held'>
  /** The domain that an email is sent from, by id. */
  domain(id: string): SendingDomain | undefined
  /** The domain whose keys sign the email: that of its sender. */
  signingDomain(email: Signable): SendingDomain | undefined
  /** True when a domain with this id or name existed and was removed. */
  isRemoved(idOrName: string): boolean
  signingKeys: SigningKeys
  /** Null: recipients have no way to reach the service. */
  links: UnsubscribeLinks | null
  retrySchedule: RetrySchedule
  paths: Pick<PathFinder, 'findCached' | 'find'>
  limits: ReadyLimits
  monitor: Pick<LoopMonitor, 'on'>
  metrics: Metrics
  log: Log
}

/** Recipients that one claim brings. */
const CLAIM_RECIPIENTS = 500
/** Recipients claimed for companies that hold nothing, when all places are taken. */
const NEWCOMERS = 20
/**
 * Size in octets from which a new email is read back from the store when there is room for it: handed over directly, it
 * would be in memory twice while it is stored, and wait there for its turn.
 */
const READ_BACK = 1024 * 1024
/** Sessions at once for suspect mail. */
const ISOLATED_SESSIONS = 32
/** Milliseconds that suspect mail waits when there is no room for it. */
const SUSPECT_MS = 10_000
/** After the time of a stop is over, it waits so long (ms) for the last results to be recorded. */
const LAST_RECORDS_MS = 5_000

/**
 * Moves work from the store to the courier and results back. Due work is claimed in batches while the ready queues have
 * room; fresh work comes straight from intake under a lease taken with its commit. No database transaction is open
 * during network I/O. A delivery is begun only while this node has the right to send it (membership.ts) and its result
 * can be recorded. Mail that is suspected of taking a process down has queues of its own and goes to a process of its
 * own (isolation/).
 */
export class Scheduler implements Handover {
  readonly #parts: SchedulerParts
  readonly #ready: ReadyQueues
  readonly #usual: Outlet
  readonly #isolated: Outlet
  readonly #suspects: Suspects
  readonly #unresolved: UnresolvedDeliveries
  readonly #results: DeliveryResults
  readonly #claims: ClaimLoop
  readonly #promised = new PromisedPlaces((...accepted) => this.#accepted(...accepted))
  readonly #stops: Stops
  readonly #sessionLimits = new SessionLimits()
  readonly #pathHealth: PathHealth
  #started = false
  #stopping = false
  #unwatch: (() => void) | undefined
  #idle: (() => void) | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    const { store, domain, signingDomain, isRemoved, limits, retrySchedule, metrics, log } = parts
    const limitOf = (path: Path) => this.#sessionLimits.limitOf(path)
    this.#ready = new ReadyQueues(limits, limitOf)
    this.#unresolved = new UnresolvedDeliveries(this.#ready.holdings, (ready) => {
      this.#enqueue(ready)
      this.#pump()
    })
    this.#claims = new ClaimLoop({
      store,
      lease: () => (this.#mayBegin ? parts.membership.lease : null),
      capacity: () => this.#wanted(),
      onClaim: (emails, { token }) => {
        for (const email of emails) {
          this.#push(deliveriesOf(this.#results.sift(email, token), token, this.#pathOf(email)))
        }
        this.#pump()
      },
      onFault: (error, tell) => {
        metrics.storeFaults.inc()
        if (tell) log.error({ err: error }, 'Could not read due mail from the database; retrying')
      },
    })
    const onChanged = () => {
      this.#pump()
      this.#claims.look(0)
    }
    this.#stops = new Stops({
      store,
      domain,
      signingDomain,
      isRemoved,
      waiting: () => [
        ...this.#unresolved.deliveries(),
        ...this.#ready.deliveries(),
        ...this.#isolated.queues.deliveries(),
      ],
      onChanged,
      log,
    })
    this.#results = new DeliveryResults({
      ...parts,
      onWaiting: (dueAt) => this.waiting(dueAt),
      onRecovered: onChanged,
    })
    this.#suspects = new Suspects(parts)
    const pauses = new ProbePauses(retrySchedule.waits)
    this.#pathHealth = new PathHealth({
      pauses,
      domainName: (id) => domain(id)?.name ?? 'a removed domain',
      release: async (domainId, dueBefore) => {
        if (this.#stopping) return
        await store.releaseHeld(domainId, { now: Date.now(), dueBefore }).then(
          () => this.#claims.look(0),
          (error) => log.error({ err: error }, 'Could not release waiting mail; it is sent later'),
        )
      },
      log,
    })
    const shared: OutletParts = {
      ...parts,
      stops: this.#stops,
      suspects: this.#suspects,
      pathHealth: this.#pathHealth,
      sessionLimits: this.#sessionLimits,
      results: this.#results,
      patience: { schedule: retrySchedule, pauses },
      onEnded: (ready) => this.#ended(ready),
    }
    const few = { ...limits, concurrency: Math.min(limits.concurrency, ISOLATED_SESSIONS) }
    this.#usual = new Outlet(this.#ready, parts.courier, shared)
    this.#isolated = new Outlet(new ReadyQueues(few, limitOf), parts.isolated, shared)
  }

  /** Starts claiming. */
  async start(): Promise<void> {
    const { store, membership } = this.#parts
    membership.listen({
      confirmed: () => {
        this.#pump()
        if (this.#claims.hindered && this.#mayBegin) this.#claims.look(0)
      },
      recovered: () => this.#claims.look(0),
      deliveryNodes: (count) => {
        this.#sessionLimits.nodes = count
        this.#ready.limitsChanged()
        this.#isolated.queues.limitsChanged()
      },
    })
    this.#unwatch = store.watch((change) => {
      if (change === 'queue') this.#claims.look(0)
      else if (change === 'stops') this.#stops.stopsChanged()
    })
    await this.#stops.start()
    this.#started = true
    this.#claims.look(0)
  }

  /**
   * Starts no more deliveries, gives back those that have not begun, and lets open transactions finish for at most
   * `ms`. Mail may still be accepted meanwhile, and waits in the store. A second call joins the first stop.
   */
  stop(ms: number): Promise<void> {
    this.#stopped ??= this.#stop(ms)
    return this.#stopped
  }

  async #stop(ms: number): Promise<void> {
    const end = performance.now() + ms
    this.#stopping = true
    this.#stops.stop()
    this.#unwatch?.()
    await this.#claims.stop()
    this.#giveBack([...this.#unresolved.drain(), ...this.#ready.drain(), ...this.#isolated.queues.drain()])
    const finished = new Promise<void>((resolve) => {
      this.#idle = resolve
      if (this.#busy === 0) resolve()
    })
    await Promise.all([this.#parts.courier.close(ms), this.#parts.isolated.close(ms), finished])
    this.#suspects.stop()
    await this.#results.flushed(Math.max(end - performance.now(), Math.min(ms, LAST_RECORDS_MS)))
  }

  get counts(): { ready: number; inSession: number; halted: boolean; closed: ReadonlyMap<string, number> } {
    const ready = this.#ready.holdings.waiting + this.#isolated.queues.holdings.waiting
    return { ready, inSession: this.#busy, halted: !this.#mayBegin, closed: this.#pathHealth.closed }
  }

  /** Call it when domains may have become active: mail held for them is due now. */
  domainsChanged(): void {
    this.#stops.domainsChanged()
  }

  reserve(email: NewEmail): Reservation | null {
    const { lease } = this.#parts.membership
    if (lease === null || email.scheduledAt !== null || email.size >= READ_BACK || !this.#mayBegin)
      return null
    if (this.#ready.holdings.room <= this.#promised.count) return null
    let last = ''
    for (const { domain } of email.recipients) {
      if (domain === last) continue
      last = domain
      if (this.#stops.pauses.covers(email.companyId, domain)) return null
      if (!this.#hasRoom(email, domain)) return null
    }
    return this.#promised.promise(lease)
  }

  #accepted(email: NewEmail, leased: number[], lease: Lease): void {
    if (leased.length === 0) return
    const deliveries = deliveriesOf(workOf(email, leased), lease.token, this.#pathOf(email))
    if (this.#stopping) this.#giveBack(deliveries)
    else {
      this.#push(deliveries)
      this.#pump()
    }
  }

  waiting(dueAt: number): void {
    this.#claims.look(Math.max(0, dueAt - Date.now()))
  }

  #pathOf(email: RoutingFields): (domain: string) => Path | null {
    return (domain) => this.#parts.paths.findCached(email, domain)
  }

  #hasRoom(email: RoutingFields, domain: string): boolean {
    const path = this.#parts.paths.findCached(email, domain)
    if (path === null) return this.#ready.holdings.allow(email.companyId)
    return this.#ready.hasRoom(email.companyId, path)
  }

  /** True while deliveries may be begun: this node has the right to send, and their results can be recorded. */
  get #mayBegin(): boolean {
    return this.#started && !this.#stopping && !this.#results.halted && this.#parts.membership.mayBegin
  }

  /** False for a delivery that another node may have taken over since. */
  #ours(ready: ReadyDelivery): boolean {
    return ready.leaseToken === this.#parts.membership.lease?.token
  }

  #push(deliveries: ReadyDelivery[]): void {
    for (const ready of deliveries) {
      if (ready.path !== UNRESOLVED) this.#enqueue(ready)
      else this.#unresolved.add(ready, this.#parts.paths.find(ready.email, ready.recipients[0]!.domain))
    }
  }

  #enqueue(ready: ReadyDelivery): void {
    this.#sessionLimits.meet(ready.path)
    if (ready.suspicion > 0) this.#pushSuspect(ready)
    else this.#ready.push(ready)
  }

  #pushSuspect(ready: ReadyDelivery): void {
    const { queues } = this.#isolated
    if (queues.holdings.room > 0 && !queues.holdings.overfull) {
      queues.push(ready)
      return
    }
    const later = { dueAt: Date.now() + SUSPECT_MS, held: false }
    void this.#results.record(
      releaseRecord(ready, later, 'Waiting for other emails that are attempted in an isolated process'),
    )
  }

  get #busy(): number {
    return this.#ready.busy + this.#isolated.queues.busy
  }

  /** Gives back the deliveries that have not begun when the service stops. */
  #giveBack(deliveries: ReadyDelivery[]): void {
    const now = Date.now()
    for (const ready of deliveries) {
      if (!this.#ours(ready)) continue
      void this.#results.record(
        releaseRecord(ready, { dueAt: now, held: false }, 'The service was stopped before this attempt'),
      )
    }
  }

  #pump(): void {
    if (!this.#mayBegin) return
    for (const outlet of [this.#usual, this.#isolated]) {
      const { queues } = outlet
      for (let taken = queues.take(); taken !== null; taken = queues.take()) {
        const ready = this.#suspects.weighed(taken)
        if (!this.#ours(ready)) queues.done(ready)
        else if (outlet === this.#usual && ready !== taken) {
          queues.done(ready)
          this.#pushSuspect(ready)
        } else outlet.begin(ready)
        if (this.#results.halted) return
      }
    }
  }

  #ended({ email, path }: ReadyDelivery): void {
    if (this.#stopping && this.#busy === 0) this.#idle?.()
    this.#pump()
    if (this.#claims.full && this.#ready.wants(email.companyId, path)) this.#claims.look(0)
  }

  #wanted(): ClaimCapacity | null {
    if (this.#ready.holdings.overfull || this.#stops.pauses.all) return null
    const full = this.#ready.full()
    // When there is no room, some is left for companies that hold nothing: all others are skipped.
    const room = Math.max(this.#ready.holdings.room - this.#promised.count, NEWCOMERS)
    return {
      maxRecipients: Math.min(room, CLAIM_RECIPIENTS),
      ...claimFilter(full, this.#stops.pauses.skipped),
      full: full.lanes.length > 0 || full.companies.length > 0,
    }
  }
}
