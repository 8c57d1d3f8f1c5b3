import type { SendingDomain } from '../accounts/account.ts'
import type { Signable } from '../accounts/directory.ts'
import { monotonic } from '../common/clock.ts'
import type { Log } from '../common/logging.ts'
import type { Courier, Delivery, DeliveryResult } from '../delivery/delivery.ts'
import { messageFor } from '../delivery/message.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import type { SigningKeys } from '../delivery/signing-keys.ts'
import type { UnsubscribeLinks } from '../email/unsubscribe-link.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Metrics } from '../metrics.ts'
import type { AttemptRecord } from '../store/store.ts'
import { attemptRecord, closedRecord, failedRecord, releaseRecord, unpreparedResult } from './attempt.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { PathHealth } from './path-health.ts'
import type { ReadyQueues } from './ready-queues.ts'
import type { DeliveryResults } from './results.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import type { SessionLimits } from './session-limits.ts'
import type { Stops } from './stops.ts'
import type { Suspects } from './suspects.ts'

export interface OutletParts {
  /** The domain whose keys sign the email: that of its sender. */
  signingDomain(email: Signable): SendingDomain | undefined
  signingKeys: SigningKeys
  /** Null: recipients have no way to reach the service. */
  links: UnsubscribeLinks | null
  stops: Stops
  suspects: Suspects
  pathHealth: PathHealth
  sessionLimits: SessionLimits
  results: DeliveryResults
  /** How long recipients wait before they are tried again. */
  patience: { schedule: RetrySchedule; pauses: ProbePauses }
  /** Called when a delivery has ended, and its session is free. */
  onEnded(ready: ReadyDelivery): void
  monitor: Pick<LoopMonitor, 'on'>
  metrics: Metrics
  log: Log
}

/** Ready queues with the courier that delivers from them: takes a delivery from its turn to its result. */
export class Outlet {
  readonly queues: ReadyQueues
  readonly courier: Courier
  readonly #parts: OutletParts

  constructor(queues: ReadyQueues, courier: Courier, parts: OutletParts) {
    this.queues = queues
    this.courier = courier
    this.#parts = parts
  }

  /** `taken`: the delivery that `queues` returned. */
  begin(taken: ReadyDelivery): void {
    const { pathHealth, patience, results, monitor } = this.#parts
    monitor.on(describeDelivery, taken)
    const startedAt = Date.now()
    const ready = this.#withoutStopped(taken, startedAt)
    if (ready === null) {
      this.queues.done(taken)
      return
    }
    const closed = pathHealth.closedFor(ready, startedAt)
    if (closed !== null) {
      const written = results.record(closedRecord(ready, closed, patience, startedAt))
      void written.then(() => pathHealth.heldWritten(ready))
      this.queues.done(ready)
      return
    }
    const delivery = this.#prepared(ready, startedAt)
    if (delivery === null) return
    results.begin(ready)
    const begunAt = monotonic()
    this.courier.deliver(delivery).then((result) => this.#ended(ready, result, begunAt))
  }

  /** Gives back the recipients that must not be sent now. Null when none is left. */
  #withoutStopped(ready: ReadyDelivery, now: number): ReadyDelivery | null {
    const { stops, results } = this.#parts
    const split = stops.sift(ready, now)
    if (split === null) return ready
    for (const { recipients, why } of split.back) {
      const stopped = { ...ready, recipients }
      const { dueAt, held, message } = why
      const written = results.record(
        dueAt === 'never'
          ? failedRecord(stopped, message, now)
          : releaseRecord(stopped, { dueAt, held }, message),
      )
      if (why.held) void written.then(() => stops.heldWritten(ready.email.domainId))
    }
    return split.go.length === 0 ? null : { ...ready, recipients: split.go }
  }

  /**
   * Adds the message and the keys. A fault of our own (a key that cannot be opened, say) counts as an attempt, so that
   * it is seen and ends: then null.
   */
  #prepared(ready: ReadyDelivery, startedAt: number): Delivery | null {
    const { signingDomain, signingKeys, links, results, log } = this.#parts
    const { email, recipients } = ready
    try {
      const signing = signingKeys.keysOf(signingDomain(email)!)
      return { ...ready, message: messageFor(email, recipients, links), signing }
    } catch (error) {
      log.error({ err: error, emailId: email.id }, 'A delivery could not be prepared')
      const attempt = this.#recordOf(ready, unpreparedResult(ready, startedAt, error), monotonic())
      this.queues.done(ready)
      void results.record(attempt, ready)
      return null
    }
  }

  /** The session is free at once; the node keeps the lease until the result is durable. */
  #ended(ready: ReadyDelivery, result: DeliveryResult, begunAt: number): void {
    const { metrics, results, suspects, onEnded } = this.#parts
    const { duration, condemned, outcomes, died, handedOver } = result
    metrics.attemptSeconds.observe(duration / 1_000)
    if (condemned !== undefined) {
      this.queues.done(ready)
      void suspects.quarantine(ready, condemned).then(() => results.quarantined(ready, condemned.message))
    } else {
      for (const { verdict } of outcomes) metrics.outcomes.inc({ verdict })
      if (died !== undefined) suspects.suspect(ready.email.id)
      const attempt = this.#recordOf(ready, result, begunAt)
      this.queues.done(ready)
      void results.record(attempt, ready, handedOver)
    }
    onEnded(ready)
  }

  /** The record of an attempt; what the attempt shows about its path is passed on. */
  #recordOf(ready: ReadyDelivery, result: DeliveryResult, begunAt: number): AttemptRecord {
    const { sessionLimits, pathHealth, patience } = this.#parts
    const { path } = ready
    const { hindrance } = result
    const now = Date.now()
    let alone = false
    if (hindrance?.kind === 'busy') {
      alone = hindrance.wide && !sessionLimits.tooMany(path, this.queues.busyOn(path), begunAt)
    } else if (hindrance === undefined && result.server !== null) sessionLimits.well(path)
    const again = pathHealth.ended(ready, result, alone, now)
    return attemptRecord(ready, result, { ...patience, again }, now)
  }
}

/** The fields for the log. */
function describeDelivery({ email, path, messageSize }: ReadyDelivery): object {
  return { emailId: email.id, companyId: email.companyId, site: path.site.name, octets: messageSize }
}
