import type { SendingDomain } from '../accounts/account.ts'
import { LateResults } from '../cluster/late-results.ts'
import type { Membership } from '../cluster/membership.ts'
import type { Unrecorded } from '../cluster/unrecorded.ts'
import { monotonic } from '../common/clock.ts'
import type { Log } from '../common/logging.ts'
import type { Courier } from '../delivery/courier.ts'
import type { Condemned, Delivery, DeliveryResult } from '../delivery/delivery.ts'
import { messageFor } from '../delivery/message.ts'
import type { Path, Routed } from '../delivery/path/path.ts'
import type { PathFinder } from '../delivery/path/path-finder.ts'
import { ProbePauses } from '../delivery/route/probe-pauses.ts'
import type { SigningKeys } from '../delivery/signing-keys.ts'
import type { Handover, Reservation } from '../intake/handover.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Metrics } from '../metrics.ts'
import type { AttemptRecord, ClaimedEmail, Lease, NewEmail, Store } from '../store/store.ts'
import { attemptRecord, closedRecord, releaseRecord, unprepared } from './attempt.ts'
import { claimFilter } from './claim-filter.ts'
import { ClaimLoop, type Wanted } from './claim-loop.ts'
import { deliveriesOf, type ReadyDelivery, UNRESOLVED, workOf } from './deliveries.ts'
import { PathHealth } from './path-health.ts'
import { PromisedPlaces } from './promised-places.ts'
import { type ReadyLimits, ReadyQueues } from './ready-queues.ts'
import { Recorder } from './recorder.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { SessionLimits } from './session-limits.ts'
import { Stops } from './stops.ts'
import { Suspects } from './suspects.ts'
import { Unresolved } from './unresolved.ts'

export interface SchedulerParts {
  store: Store
  courier: Courier
  /** For what is suspect: delivers it where it can take nothing else down. */
  isolated: Courier
  /** This node among the others. It starts before the scheduler and leaves after it. */
  membership: Membership
  /** What is handed over and not recorded. */
  unrecorded: Pick<Unrecorded, 'recorded' | 'held'>
  /** Domain an email is sent from, by id. */
  domain(id: string): SendingDomain | undefined
  signingKeys: SigningKeys
  retrySchedule: RetrySchedule
  paths: Pick<PathFinder, 'known' | 'find'>
  limits: ReadyLimits
  monitor: Pick<LoopMonitor, 'on'>
  metrics: Metrics
  log: Log
}

/** Recipients one claim brings. */
const CLAIM_RECIPIENTS = 500
/** Recipients claimed for companies that hold nothing, when all places are taken. */
const NEWCOMERS = 20
/**
 * Octets from which on a new email is read back from the store when there is room for it: handed over it would be in
 * memory twice while it is stored, and wait there for its turn.
 */
const READ_BACK = 1024 * 1024
/** Sessions at once for what is suspect. */
const ISOLATED_SESSIONS = 32
/** When more is suspect than there is room for, the rest waits so long. */
const SUSPECT_MS = 10_000
/** A stop whose time is over still waits so long (ms) for what came last to be recorded. */
const LAST_RECORDS_MS = 5_000

/** What takes turns, and who delivers it. */
interface Outlet {
  queues: ReadyQueues
  courier: Courier
}

/**
 * Moves work from the store to the courier and results back. Due work is claimed in batches while the ready queues have
 * room; fresh work comes straight from intake under a lease taken with its commit. No database transaction is open
 * while a network is waited for. Nothing is begun that is not ours to send (membership.ts), or whose result could not
 * be recorded. What is suspect of taking a process down has queues of its own and goes to a process of its own
 * (isolation/).
 */
export class Scheduler implements Handover {
  readonly #parts: SchedulerParts
  readonly #ready: ReadyQueues
  readonly #usual: Outlet
  readonly #isolated: Outlet
  readonly #suspects: Suspects
  readonly #unresolved: Unresolved
  readonly #recorder: Recorder
  readonly #claims: ClaimLoop
  readonly #late = new LateResults()
  readonly #promised = new PromisedPlaces({ begin: (...accepted) => this.#accepted(...accepted) })
  readonly #stops: Stops
  readonly #sessionLimits = new SessionLimits()
  readonly #pauses: ProbePauses
  readonly #pathHealth: PathHealth
  #started = false
  #stopping = false
  #unwatch: (() => void) | undefined
  #idle: (() => void) | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    const limitOf = (path: Path) => this.#sessionLimits.of(path)
    this.#ready = new ReadyQueues(parts.limits, limitOf)
    this.#pauses = new ProbePauses(parts.retrySchedule.waits)
    this.#pathHealth = new PathHealth({
      pauses: this.#pauses,
      domainName: (id) => parts.domain(id)?.name ?? 'a removed domain',
      release: async (domainId, dueBefore) => {
        if (this.#stopping) return
        await parts.store.releaseHeld(domainId, { now: Date.now(), dueBefore }).then(
          () => this.#claims.look(0),
          (error) =>
            parts.log.error({ err: error }, 'Mail that waited could not be released; it goes out later'),
        )
      },
      log: parts.log,
    })
    this.#usual = { queues: this.#ready, courier: parts.courier }
    const concurrency = Math.min(parts.limits.concurrency, ISOLATED_SESSIONS)
    this.#isolated = {
      queues: new ReadyQueues({ ...parts.limits, concurrency }, limitOf),
      courier: parts.isolated,
    }
    this.#unresolved = new Unresolved(this.#ready, (ready) => {
      this.#enqueue(ready)
      this.#pump()
    })
    this.#suspects = new Suspects(parts)
    this.#stops = new Stops({
      store: parts.store,
      domain: parts.domain,
      waiting: () => [
        ...this.#unresolved.deliveries(),
        ...this.#ready.deliveries(),
        ...this.#isolated.queues.deliveries(),
      ],
      onChanged: () => {
        this.#pump()
        this.#claims.look(0)
      },
      log: parts.log,
    })
    this.#claims = new ClaimLoop({
      store: parts.store,
      lease: () => (this.#mayBegin ? parts.membership.lease : null),
      wanted: () => this.#wanted(),
      claimed: (emails, { token }) => {
        for (const email of emails) this.#claimed(email, token)
        this.#pump()
      },
      onFault: (error, tell) => {
        parts.metrics.storeFaults.inc()
        if (tell) parts.log.error({ err: error }, 'The store could not be asked for due work; trying again')
      },
    })
    this.#recorder = new Recorder(parts.store, parts.unrecorded, {
      onFault: (error) => {
        parts.metrics.storeFaults.inc()
        parts.log.error(
          { err: error },
          'Results of deliveries cannot be recorded; nothing new is begun until they can',
        )
      },
      onRecovered: () => {
        parts.log.info({}, 'Results are recorded again; delivery goes on')
        this.#pump()
        this.#claims.look(0)
      },
      onUnrecordable: ({ emailId }, error) => {
        parts.metrics.storeFaults.inc()
        parts.log.error(
          { err: error, emailId },
          'The result of a delivery cannot be written. Its recipients count as being sent until the service is restarted, and may then be sent again',
        )
      },
      onFenced: (attempt, positions) => {
        parts.metrics.fenced.inc(positions.length)
        parts.log.warn(
          { emailId: attempt.emailId, recipients: positions },
          'A result came after its lease had ended and was refused',
        )
      },
    })
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
   * Starts nothing more, gives back what has not begun, lets open transactions finish for at most `ms`. Mail may still
   * be accepted meanwhile, and waits in the store. Asked again, it is the same stop.
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
    await this.#recorder.flushed(Math.max(end - performance.now(), Math.min(ms, LAST_RECORDS_MS)))
  }

  get counts(): { ready: number; inSession: number; halted: boolean; closed: ReadonlyMap<string, number> } {
    const ready = this.#ready.waiting + this.#isolated.queues.waiting
    return { ready, inSession: this.#busy, halted: !this.#mayBegin, closed: this.#pathHealth.closed }
  }

  /** Domains may have become active: what was held for them is due now. */
  domainsChanged(): void {
    this.#stops.domainsChanged()
  }

  reserve(email: NewEmail): Reservation | null {
    const { lease } = this.#parts.membership
    if (lease === null || email.scheduledAt !== null || email.size >= READ_BACK || !this.#mayBegin)
      return null
    if (this.#ready.room <= this.#promised.count) return null
    let last = ''
    for (const { domain } of email.recipients) {
      if (domain === last) continue
      last = domain
      if (this.#stops.paused(email.companyId, domain)) return null
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

  #pathOf(email: Routed): (domain: string) => Path | null {
    return (domain) => this.#parts.paths.known(email, domain)
  }

  #hasRoom(email: Routed, domain: string): boolean {
    const path = this.#parts.paths.known(email, domain)
    if (path === null) return this.#ready.hasRoomFor(email.companyId)
    return this.#ready.hasRoom(email.companyId, path)
  }

  /** Something may be sent now: it is ours to send, and its result can be recorded. */
  get #mayBegin(): boolean {
    return this.#started && !this.#stopping && !this.#recorder.paused && this.#parts.membership.mayBegin
  }

  /** False for what others may have taken over since. */
  #ours(ready: ReadyDelivery): boolean {
    return ready.leaseToken === this.#parts.membership.lease?.token
  }

  #claimed(email: ClaimedEmail, token: number): void {
    const sifted = this.#late.sift(email, token)
    for (const attempt of sifted?.done ?? []) this.#record(attempt)
    const begin = sifted === null ? email : { ...email, recipients: sifted.go }
    this.#push(deliveriesOf(begin, token, this.#pathOf(email)))
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
    if (queues.room > 0 && !queues.overfull) {
      queues.push(ready)
      return
    }
    const later = { dueAt: Date.now() + SUSPECT_MS, held: false }
    this.#record(
      releaseRecord(ready, later, 'Waits for others that are to be tried by a process of their own'),
    )
  }

  get #busy(): number {
    return this.#ready.busy + this.#isolated.queues.busy
  }

  /** What has not begun when the service stops. */
  #giveBack(deliveries: ReadyDelivery[]): void {
    const now = Date.now()
    for (const ready of deliveries) {
      if (!this.#ours(ready)) continue
      this.#record(
        releaseRecord(ready, { dueAt: now, held: false }, 'The service was stopped before this was tried'),
      )
    }
  }

  #pump(): void {
    if (!this.#mayBegin) return
    for (const outlet of [this.#usual, this.#isolated]) {
      const { queues } = outlet
      for (let ready = queues.take(); ready !== null; ready = queues.take()) {
        if (this.#ours(ready)) this.#deliver(ready, outlet)
        else queues.done(ready)
        if (this.#recorder.paused) return
      }
    }
  }

  #deliver(taken: ReadyDelivery, outlet: Outlet): void {
    const { domain, signingKeys, metrics, log } = this.#parts
    const { queues, courier } = outlet
    this.#parts.monitor.on(describeDelivery, taken)
    const startedAt = Date.now()
    const weighed = this.#suspects.weighed(taken)
    if (outlet === this.#usual && weighed !== taken) {
      queues.done(taken)
      this.#pushSuspect(weighed)
      return
    }
    const ready = this.#withoutStopped(weighed, startedAt)
    if (ready === null) {
      queues.done(taken)
      return
    }
    const closed = this.#pathHealth.closedFor(ready, startedAt)
    if (closed !== null) {
      const patience = { schedule: this.#parts.retrySchedule, pauses: this.#pauses }
      const written = this.#record(closedRecord(ready, closed, patience, startedAt))
      void written.then(() => this.#pathHealth.heldWritten(ready))
      queues.done(taken)
      return
    }
    let delivery: Delivery
    try {
      const { email, recipients } = ready
      const signing = signingKeys.of(domain(email.domainId)!)
      delivery = { ...ready, message: messageFor(email, recipients), signing }
    } catch (error) {
      // A fault of our own (a key that cannot be opened, say) counts as an attempt, so that it shows and has an end.
      log.error({ err: error, emailId: ready.email.id }, 'A delivery could not be prepared')
      this.#finish(
        ready,
        outlet,
        this.#recordOf(ready, unprepared(ready, startedAt, error), monotonic(), queues),
      )
      return
    }
    this.#late.begin(ready)
    const begunAt = monotonic()
    courier.deliver(delivery).then((result) => {
      metrics.attemptSeconds.observe(result.duration / 1_000)
      if (result.condemned !== undefined) {
        this.#finish(ready, outlet)
        this.#quarantine(ready, result.condemned)
      } else {
        for (const { verdict } of result.outcomes) metrics.outcomes.inc({ verdict })
        if (result.died !== undefined) this.#suspects.suspect(ready.email.id)
        this.#finish(ready, outlet, this.#recordOf(ready, result, begunAt, queues), result.handedOver)
      }
      this.#pump()
      if (this.#claims.full && this.#ready.wants(ready.email.companyId, ready.path)) this.#claims.look(0)
    })
  }

  /** What to record of an attempt, and what is learned from it about its path. */
  #recordOf(
    ready: ReadyDelivery,
    result: DeliveryResult,
    begunAt: number,
    queues: ReadyQueues,
  ): AttemptRecord {
    const now = Date.now()
    const { path } = ready
    let alone = false
    if (result.hindrance?.kind === 'busy') {
      alone = result.hindrance.wide && !this.#sessionLimits.tooMany(path, queues.busyOn(path), begunAt)
    } else if (result.hindrance === undefined && result.server !== null) this.#sessionLimits.well(path)
    const again = this.#pathHealth.ended(ready, result, alone, now)
    return attemptRecord(
      ready,
      result,
      { schedule: this.#parts.retrySchedule, pauses: this.#pauses, again },
      now,
    )
  }

  /** Gives back what must not go out now. Null when nothing is left. */
  #withoutStopped(ready: ReadyDelivery, now: number): ReadyDelivery | null {
    const sifted = this.#stops.sift(ready, now)
    if (sifted === null) return ready
    for (const { recipients, why } of sifted.back) {
      const part = { ...ready, recipients }
      const written = this.#record(releaseRecord(part, why, why.message))
      if (why.held) void written.then(() => this.#stops.heldWritten(ready.email.domainId))
    }
    return sifted.go.length === 0 ? null : { ...ready, recipients: sifted.go }
  }

  /** The session is free at once; the lease is the node's until the result is durable. */
  #finish(ready: ReadyDelivery, { queues }: Outlet, attempt?: AttemptRecord, handedOver?: true): void {
    queues.done(ready)
    if (attempt !== undefined) this.#record(attempt, ready, handedOver)
    if (this.#stopping && this.#busy === 0) this.#idle?.()
  }

  #quarantine(ready: ReadyDelivery, condemned: Condemned): void {
    void this.#suspects.quarantine(ready, condemned).then(() => {
      // Nothing of it comes again by itself.
      const done = releaseRecord(ready, { dueAt: Date.now(), held: false }, condemned.message)
      this.#late.settle(done, [], ready)
      this.#claims.look(0)
    })
  }

  #record(attempt: AttemptRecord, ready?: ReadyDelivery, handedOver?: true): Promise<void> {
    return this.#recorder.record(attempt, handedOver).then((recorded) => {
      if (recorded === null) return
      for (const again of this.#late.settle(attempt, recorded.refused, ready)) void this.#record(again)
      let earliest = Number.POSITIVE_INFINITY
      for (const { decision } of attempt.recipients) {
        earliest = Math.min(earliest, decision.change?.dueAt ?? Number.POSITIVE_INFINITY)
      }
      if (earliest !== Number.POSITIVE_INFINITY && !this.#stopping) this.waiting(earliest)
    })
  }

  #wanted(): Wanted | null {
    if (this.#ready.overfull || this.#stops.allPaused) return null
    const full = this.#ready.full()
    // Without room there is still some for companies that hold nothing: all others are skipped.
    const room = Math.max(this.#ready.room - this.#promised.count, NEWCOMERS)
    return {
      maxRecipients: Math.min(room, CLAIM_RECIPIENTS),
      ...claimFilter(full, this.#stops.skipped),
      full: full.lanes.length > 0 || full.companies.length > 0,
    }
  }
}

/** For the log. */
function describeDelivery({ email, path, messageSize }: ReadyDelivery): object {
  return { emailId: email.id, companyId: email.companyId, site: path.site.name, octets: messageSize }
}
