/**
 * The states of one delivery, from the lease on its recipients to the record of its result. All changes of state are
 * made here, in this order; the other parts of the queue answer questions, or hold deliveries in a state.
 *
 *     accepted under a lease      claimed from the store
 *               |                           |
 *               |                           +-- result known from an older lease ----> RECORDING
 *               |                           +-- still SENDING under an older lease:
 *               |                           |   takes the result of that attempt ----> RECORDING
 *               +-------------+-------------+
 *                             |
 *                             +-- path unknown: LOOK-UP until it is known
 *                             |
 *                             +-- suspect, and no room for more suspect mail --------> RECORDING (given back)
 *                             v
 *                           READY
 *                             |
 *         a session is free, and this node may begin a delivery
 *                             |
 *                             +-- lease lost: dropped, because other nodes have taken its recipients
 *                             +-- suspect by now: READY for the isolated process
 *                             +-- its path is closed or used up for today, but not
 *                             |   that of another source: READY on that path
 *                             +-- stopped, path closed, source not here or used up --> RECORDING (given back)
 *                             +-- asks for the try of a closed path: READY once the nodes have decided
 *                             +-- cannot be prepared: counts as an attempt ----------> RECORDING
 *                             v
 *                          SENDING      behind its final dot, another delivery that is READY for the same
 *                             |         servers may begin on the same session
 *                             +-- took its process down -----------------------------> QUARANTINE
 *                             |
 *           the session is free for another delivery, or passes to the one behind it
 *                             v
 *                         RECORDING     while the store takes no results, no delivery begins
 *                             |
 *                             +-- lease lost: REFUSED; a message that may have arrived is remembered,
 *                             |   for the recipient may be claimed again
 *                             +-- cannot be written: stays leased until the next start
 *                             v
 *                          RECORDED     final, or waiting in the store until it is due and claimed again
 *
 * When the service stops, deliveries in LOOK-UP and READY are given back, and those in SENDING and RECORDING get some
 * time to end. Deliveries of a killed node are claimed again, once its lease is over.
 *
 * LOOK-UP is held by UnresolvedDeliveries, READY by two ReadyQueues (one for suspect mail), SENDING by a Courier,
 * RECORDING by the Recorder, and results under a lost lease by LateResults.
 */
import type {
  Crash,
  Delivery,
  DeliveryOwed,
  DeliveryResult,
  OwedQuestion,
  SessionSharing,
} from '../delivery/delivery.ts'
import { messageFor } from '../delivery/message.ts'
import type { Path } from '../delivery/path/path.ts'
import { ProbePauses } from '../delivery/route/probe-pauses.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { HoldReason } from '../email/recipient.ts'
import type { AttemptRecord, ClaimedEmail, LaneRoom, Lease, NewEmail, SiteState } from '../store/store.ts'
import { attemptRecord, dueAfter, type GiveBackReason, giveBackRecord, unpreparedResult } from './attempt.ts'
import type { ClaimLoop } from './claim-loop.ts'
import { deliveriesOf, type ReadyDelivery, splitToFit, UNRESOLVED, workOf } from './deliveries.ts'
import { Evidence } from './evidence.ts'
import { LastTroubles } from './last-troubles.ts'
import { LateResults } from './late-results.ts'
import { MailPaths } from './mail-paths.ts'
import { type DeliveryNode, NodeShares } from './node-shares.ts'
import { type BegunDelivery, describeDelivery, type Outlet, startOf } from './outlet.ts'
import { PathHealth } from './path-health.ts'
import { pathKeyOf } from './path-part.ts'
import type { PathStateParts } from './path-sharing.ts'
import { pathUses } from './path-uses.ts'
import type { PipelineParts } from './pipeline-parts.ts'
import { presentSources } from './present-sources.ts'
import { ReadyQueues } from './ready-queues.ts'
import { Recorder } from './recorder.ts'
import { RestrictedLanes } from './restricted-lanes.ts'
import { SessionShortage } from './session-shortage.ts'
import { type PathUse, siteStates } from './site-states.ts'
import { Stops } from './stops.ts'
import { Suspects } from './suspects.ts'
import { type DeliveryStart, Throttle } from './throttle.ts'
import { UnresolvedDeliveries } from './unresolved-deliveries.ts'
import { WarmUp } from './warm-up.ts'

/** Sessions at once for suspect mail. */
const ISOLATED_SESSIONS = 32
/** Milliseconds that suspect mail waits when there is no room for it. */
const SUSPECT_MS = 10_000
/** Milliseconds that mail waits for one of its source addresses. */
const ABSENT_MS = 10_000
/** Ms for which a stop waits, after its own time is over, until the last results are recorded. */
const LAST_RECORDS_MS = 5_000

export interface DeliveryCounts {
  ready: number
  inSession: number
  halted: boolean
  /** Closed paths by kind of trouble, and those whose servers name a block list, by its name. */
  closed: ReadonlyMap<string, number>
  blocked: ReadonlyMap<string, number>
}

export class DeliveryPipeline {
  readonly stops: Stops
  readonly paths: MailPaths
  readonly #lanes: RestrictedLanes
  readonly #parts: PipelineParts
  readonly #claims: ClaimLoop
  readonly #usual: Outlet
  readonly #isolated: Outlet
  readonly #shortage: SessionShortage
  readonly #unresolved: UnresolvedDeliveries
  readonly #late = new LateResults()
  readonly #recorder: Recorder
  readonly #suspects: Suspects
  /** This node's parts of the limits of all paths. */
  readonly #shares = new NodeShares()
  readonly #throttle = new Throttle((paths) => this.#pathsFree(paths), this.#shares)
  readonly #pauses: ProbePauses
  readonly #warmUp: WarmUp
  readonly #pathHealth: PathHealth
  readonly #evidence: Evidence
  readonly #lastTroubles = new LastTroubles()
  #nodes = 1
  /** Deliveries that try a closed path if this node gets the try: one for each path. */
  readonly #asking = new Set<ReadyDelivery>()
  #mode: 'starting' | 'running' | 'stopping' = 'starting'
  #idle: (() => void) | undefined

  /** `claims` is notified when work waits in the store, and when there is room for it. */
  constructor(parts: PipelineParts, claims: ClaimLoop) {
    const { courier, isolated, limits, accounts } = parts
    this.#parts = parts
    this.#claims = claims
    const { sessions, pacing } = this.#throttle
    const limitOf = (path: Path) => sessions.limitOf(path)
    const takesMore = (path: Path) => pacing.takesMore(path) && this.#warmUp.takesMore(path)
    const ofCompany = {
      limitOf: (path: Path, companyId: string) => this.#throttle.sessionsOf(path, companyId),
      takesMore: (path: Path, companyId: string) => this.#throttle.takesMore(path, companyId),
      mostWaiting: (path: Path, companyId: string) => this.#throttle.mostWaiting(path, companyId),
    }
    const few = { ...limits, concurrency: Math.min(limits.concurrency, ISOLATED_SESSIONS) }
    this.#usual = { queues: new ReadyQueues(limits, limitOf, takesMore, ofCompany), courier }
    this.#isolated = { queues: new ReadyQueues(few, limitOf, takesMore, ofCompany), courier: isolated }
    this.#shortage = new SessionShortage({ queues: this.queues, onFree: () => this.pump(), log: parts.log })
    this.#unresolved = new UnresolvedDeliveries(this.queues.holdings, (ready) => {
      for (const part of splitToFit(ready)) this.#enqueue(part)
      this.pump()
    })
    const onChanged = () => this.#resume()
    this.#recorder = new Recorder({ ...parts, onRecovered: onChanged })
    this.#suspects = new Suspects(parts)
    this.#warmUp = new WarmUp({
      ...parts,
      shares: this.#shares,
      pools: () => accounts.pools(),
      schedule: parts.warmUp ?? [],
      free: (paths) => this.#pathsFree(paths),
    })
    this.stops = new Stops({ ...parts, waiting: () => this.#waiting(), onChanged })
    this.#pauses = new ProbePauses(parts.retrySchedule.waits)
    this.#pathHealth = new PathHealth({
      ...parts,
      pauses: this.#pauses,
      domainName: (id) => accounts.domain(id)?.name ?? 'a removed domain',
      companyName: (id) => this.#companyName(id),
      release: (domainId, domains) => this.#releaseHeld(domainId, domains),
    })
    this.paths = new MailPaths({
      ...parts,
      health: this.#pathHealth,
      warmUp: this.#warmUp,
      sessions,
      waitingFor: (companyId, path) => this.queues.waitingFor(companyId, path),
    })
    this.#lanes = new RestrictedLanes({
      stateOf: (companyId, domain) => this.paths.laneState(companyId, domain),
      unresolved: () => this.#unresolved.deliveries(),
    })
    this.#evidence = new Evidence({
      domainsOf: (path) => parts.paths.domainsOf(path),
      closedElsewhere: (key, kind) => this.#pathHealth.closedElsewhere(key, kind),
    })
    parts.present?.onReturn(() => this.#pathHealth.sourcesReturned())
  }

  /** The ready deliveries that are not suspect. */
  get queues(): ReadyQueues {
    return this.#usual.queues
  }

  /** True while deliveries may be begun: this node has the right to send, and their results can be recorded. */
  get mayBegin(): boolean {
    return this.#mode === 'running' && !this.#recorder.halted && this.#parts.membership.mayBegin
  }

  get counts(): DeliveryCounts {
    const ready = this.queues.holdings.waiting + this.#isolated.queues.holdings.waiting
    const { closed, blocked } = this.#pathHealth
    return { ready, inSession: this.#busy, halted: !this.mayBegin, closed, blocked }
  }

  /** The answers that servers owe to deliveries; those about suspect mail are not known. */
  async owed(question: OwedQuestion): Promise<DeliveryOwed[]> {
    return (await this.#usual.courier.owed?.(question)) ?? []
  }

  /** The sites that had a message within a day, as this node sees them. */
  siteStates(): SiteState[] {
    return siteStates(this.#pathUses())
  }

  #pathUses(): PathUse[] {
    const throttle = this.#throttle
    const closures = this.#pathHealth.closures()
    const busyOn = (path: Path) => this.queues.busyOn(path) + this.#isolated.queues.busyOn(path)
    const [warmUp, lastTroubles] = [this.#warmUp, this.#lastTroubles]
    const companyName = (id: string) => this.#companyName(id)
    return pathUses({ throttle, closures, busyOn, companyName, warmUp, lastTroubles }, Date.now())
  }

  #companyName(id: string): string {
    return this.#parts.accounts.company(id)?.name ?? 'a removed company'
  }

  /** The state of the paths as this node has learned it. */
  get learning(): PathStateParts {
    const { sessions, pacing } = this.#throttle
    return { health: this.#pathHealth, sessions, pacing }
  }

  /** The nodes that deliver, and the token of this one, if it has one. */
  setNodes(nodes: readonly DeliveryNode[], own: number | null): void {
    if (nodes.length < this.#nodes) void this.stops.nodeEnded()
    this.#nodes = nodes.length
    this.#pathHealth.alone = nodes.length <= 1
    this.#pathHealth.sources = presentSources(nodes)
    if (this.#shares.set(nodes, own)) this.#lanes.sharesChanged()
    for (const { queues } of [this.#usual, this.#isolated]) {
      queues.room.shared = nodes.length > 1
      for (const ready of queues.withdraw((path) => this.paths.isLeft(path))) this.#leave(ready)
      queues.limitsChanged()
    }
  }

  #leave(ready: ReadyDelivery): void {
    const now = Date.now()
    const { email, recipients } = ready
    const domains = recipients
      .map(({ domain }) => domain)
      // From another source this node may have sessions there.
      .filter((domain) =>
        this.#parts.paths.everyKnown(email, domain)?.every((path) => this.paths.isLeft(path)),
      )
    this.#lanes.addOfOthers(email.companyId, domains)
    this.#giveBack(ready, { dueAt: now, heldFor: null, message: '', toOthers: true }, now)
  }

  async start(): Promise<void> {
    await Promise.all([this.stops.start(), this.#warmUp.start()])
    if (this.#mode === 'starting') this.#mode = 'running'
  }

  /**
   * Begins nothing from now on, gives back the deliveries that have not begun, and lets the others end for at most
   * `ms`.
   */
  async stop(ms: number): Promise<void> {
    const end = performance.now() + ms
    this.#mode = 'stopping'
    this.stops.stop()
    this.#shortage.stop()
    await this.#claims.stop()
    const ready = [...this.queues.drain(), ...this.#isolated.queues.drain(), ...this.#asking]
    this.#asking.clear()
    const waiting = [...this.#unresolved.drain(), ...ready]
    for (const ready of waiting) this.#giveBackAtStop(ready)
    const finished = new Promise<void>((resolve) => {
      this.#idle = resolve
      if (this.#busy === 0) resolve()
    })
    await Promise.all([this.#usual.courier.close(ms), this.#isolated.courier.close(ms), finished])
    this.#suspects.stop()
    this.#throttle.pacing.stop()
    await this.#warmUp.stop()
    await this.#recorder.flushed(Math.max(end - performance.now(), Math.min(ms, LAST_RECORDS_MS)))
  }

  /** Takes over emails that were claimed from the store under this lease. */
  takeClaimed(emails: readonly ClaimedEmail[], { token }: Lease): void {
    for (const email of emails) {
      for (const { domain } of email.recipients) this.#lanes.taken(email.companyId, domain)
      const split = this.#late.sift(email, token)
      if (split !== null) for (const attempt of split.done) void this.#record(attempt)
      this.#push(split === null ? email : { ...email, recipients: split.go }, token)
    }
    this.pump()
  }

  /** Takes over an email that was accepted under this lease, which holds these positions. */
  takeAccepted(email: NewEmail, leased: number[], { token }: Lease): void {
    if (leased.length === 0) return
    this.#push(workOf(email, leased), token)
    this.pump()
  }

  #push(email: ClaimedEmail, token: number): void {
    const { paths } = this.#parts
    for (const ready of deliveriesOf(email, token, (domain) => this.paths.pathOf(email, domain))) {
      if (this.#mode === 'stopping') this.#giveBackAtStop(ready)
      else if (ready.path !== UNRESOLVED) this.#enqueue(ready)
      else {
        const { domain } = ready.recipients[0]!
        const path = paths.find(email, domain, this.paths.isOpenFor(email, ready.recipients))
        this.#unresolved.add(ready, path)
      }
    }
  }

  /** The mail that the next claim may take although this node could not send it now. */
  waitingLanes(): LaneRoom[] {
    return this.#lanes.rooms(this.#pathHealth.openings, this.#nodes > 1)
  }

  #enqueue(ready: ReadyDelivery): void {
    if (this.paths.isLeft(ready.path)) {
      this.#leave(ready)
      return
    }
    this.#throttle.sessions.meet(ready.path)
    if (ready.suspicion > 0) this.#enqueueSuspect(ready)
    else this.queues.push(ready)
  }

  #enqueueSuspect(ready: ReadyDelivery): void {
    const { queues } = this.#isolated
    if (queues.holdings.room > 0 && !queues.holdings.overfull) {
      queues.push(ready)
      return
    }
    const now = Date.now()
    const message = notAttempted('waiting for other emails that are attempted in an isolated process')
    this.#giveBack(ready, { dueAt: now + SUSPECT_MS, heldFor: null, message }, now)
  }

  /** The nodes may have decided which of them tries a closed path. */
  triesDecided(): void {
    if (this.#asking.size === 0) return
    const asking = [...this.#asking]
    this.#asking.clear()
    for (const ready of asking) this.#enqueue(ready)
    this.pump()
  }

  /** Begins deliveries while sessions are free. */
  pump(): void {
    if (!this.mayBegin) return
    for (const outlet of [this.#usual, this.#isolated]) {
      const { queues } = outlet
      for (let taken = queues.take(); taken !== null; taken = queues.take()) {
        this.#begin(outlet, taken, null)
        if (this.#recorder.halted) return
      }
    }
    this.#shortage.watch()
  }

  /**
   * Begins the next delivery behind the final dot of `before`, on the same session: the one that would get the session
   * if that were free. So nobody's turn changes, and all limits hold as they do for other deliveries.
   */
  #beginBehind(outlet: Outlet, taken: ReadyDelivery, before: Delivery): void {
    if (!this.mayBegin) return
    for (;;) {
      const next = outlet.queues.takeBehind(taken)
      if (next === null || this.#begin(outlet, next, before) || this.#recorder.halted) return
    }
  }

  /** `behind`: the delivery on whose session it begins. False when the delivery was not begun. */
  #begin(outlet: Outlet, taken: ReadyDelivery, behind: Delivery | null): boolean {
    const { queues, courier } = outlet
    const weighed = this.#suspects.weighed(taken)
    if (!this.#isOurs(weighed)) {
      queues.done(taken)
      return false
    }
    if (outlet === this.#usual && weighed !== taken) {
      queues.done(taken)
      this.#enqueueSuspect(weighed)
      return false
    }
    this.#parts.monitor.on(describeDelivery, weighed)
    const startedAt = Date.now()
    const ready = this.#sendable(weighed, startedAt)
    const delivery = ready && this.#prepared(outlet, ready, startedAt)
    if (ready === null || delivery === null) {
      queues.done(taken)
      return false
    }
    this.#late.begin(ready)
    this.#throttle.begun(ready)
    this.#warmUp.begun(ready.path, startedAt)
    const begun = startOf(queues, ready)
    const sharing: SessionSharing = {
      behind,
      onDot: () => this.#beginBehind(outlet, taken, delivery),
      onApart: () => queues.places.part(taken),
    }
    if (outlet === this.#usual) this.#shortage.begun(taken, (atDot) => courier.cutShort?.(delivery, atDot))
    courier.deliver(delivery, sharing).then((result) => this.#end(outlet, { taken, ready, begun }, result))
    return true
  }

  /** The part of the delivery that may be sent now: the rest is given back. Null: nothing is left. */
  #sendable(ready: ReadyDelivery, now: number): ReadyDelivery | null {
    let rest = ready
    const split = this.stops.sift(ready, now)
    if (split !== null) {
      for (const { recipients, why } of split.back) this.#giveBack({ ...ready, recipients }, why, now)
      if (split.go.length === 0) return null
      rest = { ...ready, recipients: split.go }
    }
    const { missing } = rest.path.source
    if (missing !== undefined) {
      this.#giveBack(
        rest,
        { dueAt: now + ABSENT_MS, heldFor: null, message: notAttempted(missing), postpones: true },
        now,
      )
      return null
    }
    const { createdAt, scheduledAt } = rest.email
    const acceptedAt = scheduledAt ?? createdAt
    const closed = this.#warmUp.closedFor(rest.path, acceptedAt, now) ?? this.#pathHealth.closedFor(rest, now)
    if (closed === null) return rest
    const other = this.paths.otherSource(rest)
    if (other !== null) this.#enqueue({ ...rest, path: other })
    else if (closed === 'asks') this.#asking.add(rest)
    else this.#giveBack(rest, closed, now)
    return null
  }

  /**
   * Adds the message and the keys. A fault of our own (a key that cannot be opened, say) counts as an attempt, so that
   * it is seen and ends: then null.
   */
  #prepared({ queues }: Outlet, ready: ReadyDelivery, startedAt: number): Delivery | null {
    const { accounts, signingKeys, links, linkTokens, log } = this.#parts
    const { email, recipients } = ready
    try {
      const signing = signingKeys.keysOf(accounts.signingDomain(email)!)
      return { ...ready, message: messageFor(email, recipients, links, linkTokens), signing }
    } catch (error) {
      log.error({ err: error, emailId: email.id }, 'A delivery could not be prepared')
      const result = unpreparedResult(ready, startedAt, error)
      void this.#record(this.#attemptOf(queues, ready, result, startOf(queues, ready)), ready)
      return null
    }
  }

  /** The session is free at once; the node keeps the lease until the result is durable. */
  #end({ queues }: Outlet, { taken, ready, begun }: BegunDelivery, result: DeliveryResult): void {
    const { metrics } = this.#parts
    const { duration, condemned, outcomes, died, handedOver, tlsSessions } = result
    const { email, path } = ready
    this.#shortage.ended(taken)
    metrics.attemptSeconds.observe(duration / 1_000)
    if (tlsSessions !== undefined) this.#parts.onTlsSessions(tlsSessions)
    if (condemned !== undefined) {
      this.#pathHealth.lost(ready, Date.now())
      queues.done(taken)
      void this.#quarantine(ready, condemned)
    } else {
      for (const { verdict } of outcomes) metrics.outcomes.inc({ verdict })
      if (died !== undefined) this.#suspects.suspect(email.id)
      const attempt = this.#attemptOf(queues, ready, result, begun)
      queues.done(taken)
      void this.#record(attempt, ready, handedOver)
    }
    if (this.#busy === 0) this.#idle?.()
    this.pump()
    if (this.#claims.full && this.queues.room.wants(email.companyId, path)) this.#claims.look(0)
  }

  /** The record of an attempt; what the attempt shows about its path is passed on. */
  #attemptOf(
    queues: ReadyQueues,
    ready: ReadyDelivery,
    result: DeliveryResult,
    begun: DeliveryStart,
  ): AttemptRecord {
    const now = Date.now()
    const extent = this.#evidence.weigh(ready, result)
    this.#lastTroubles.ended(ready.path, result, now)
    const { exhausted, notBefore } = this.#throttle.ended(ready, result, extent, queues, begun)
    const closedUntil = this.#pathHealth.ended(ready, result, extent, exhausted, now)
    // A proxy that does not answer fails all mail from its source, so the source is left out at once.
    if (result.pathTrouble?.kind === 'source') void this.#parts.present?.look()
    const again =
      closedUntil === null ? notBefore : this.paths.otherSource(ready) === null ? closedUntil : now
    const { retrySchedule: schedule, fullMailbox } = this.#parts
    const patience = { schedule, pauses: this.#pauses, again, fullMailbox }
    return attemptRecord(ready, result, patience, now)
  }

  #pathsFree(paths: readonly string[]): void {
    for (const { queues } of [this.#usual, this.#isolated])
      for (const key of paths) queues.pathFree(pathKeyOf(key))
    this.pump()
  }

  async #quarantine(ready: ReadyDelivery, condemned: Crash): Promise<void> {
    // Under an old lease alone, the store would leave recipients that were claimed anew in `sending`.
    for (const part of this.#late.byLease(ready)) await this.#suspects.quarantine(part, condemned)
    this.#late.end(ready)
    this.#claims.look(0)
  }

  #giveBack(ready: ReadyDelivery, reason: GiveBackReason, now: number): void {
    const { heldFor } = reason
    this.#parts.metrics.givenBack.inc()
    if (heldFor === 'path') {
      const domains = ready.recipients.map(({ domain }) => domain)
      this.#lanes.addClosed(ready.email.companyId, domains)
    }
    const written = this.#record(giveBackRecord(ready, reason, this.#parts.retrySchedule, now))
    if (heldFor !== null) void written.then(() => this.#heldWritten(ready, heldFor))
    if (reason.toOthers) void written.then(() => this.#parts.store.announceWork()).catch(() => {})
  }

  /** The release of what is held for the reason may have missed it. */
  #heldWritten(ready: ReadyDelivery, heldFor: HoldReason): void {
    switch (heldFor) {
      case 'domain':
        this.stops.heldWritten(ready.email.domainId)
        break
      case 'pause':
        this.stops.pauseWritten(ready)
        break
      case 'path':
        this.#pathHealth.heldWritten(ready)
        break
      default:
        heldFor satisfies never
    }
  }

  #giveBackAtStop(ready: ReadyDelivery): void {
    if (!this.#isOurs(ready)) return
    const now = Date.now()
    // The last answer stays: it says more than that the service was stopped.
    this.#giveBack(ready, { dueAt: now, heldFor: null, message: '' }, now)
  }

  /**
   * `ready`: the delivery that the attempt belongs to. `handedOver`: its message holds a place. Resolves when the
   * result is durable, or given up.
   */
  async #record(attempt: AttemptRecord, ready?: ReadyDelivery, handedOver?: true): Promise<void> {
    const recorded = await this.#recorder.record(attempt, handedOver)
    if (recorded === null) return
    for (const again of this.#late.settle(attempt, recorded.refused, ready)) void this.#record(again)
    const dueAt = dueAfter(attempt)
    if (dueAt !== null) this.#claims.lookAt(dueAt)
  }

  /** False for a delivery that another node may have taken over since. */
  #isOurs(ready: ReadyDelivery): boolean {
    return ready.leaseToken === this.#parts.membership.lease?.token
  }

  get #busy(): number {
    return this.queues.busy + this.#isolated.queues.busy
  }

  #waiting(): ReadyDelivery[] {
    return [
      ...this.#unresolved.deliveries(),
      ...this.queues.deliveries(),
      ...this.#isolated.queues.deliveries(),
      ...this.#asking,
    ]
  }

  /** Deliveries may begin that had to wait. */
  #resume(): void {
    this.pump()
    this.#claims.look(0)
  }

  async #releaseHeld(domainId: string, domains: readonly string[] | null): Promise<void> {
    if (this.#mode === 'stopping') return
    const held = { dueBefore: Number.MAX_SAFE_INTEGER, heldFor: 'path', ...(domains && { domains }) } as const
    const again = () => void this.#releaseHeld(domainId, domains)
    await this.stops.releases.release(domainId, held, { again })
  }
}
