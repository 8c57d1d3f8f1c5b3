import { LateResults } from '../cluster/late-results.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import type { Log } from '../common/logging.ts'
import type { Metrics } from '../metrics.ts'
import type { AttemptRecord, ClaimedEmail, Store } from '../store/store.ts'
import { releaseRecord } from './attempt.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { Recorder } from './recorder.ts'

export interface ResultsParts {
  store: Pick<Store, 'record'>
  /** The places of unrecorded deliveries. */
  unrecorded: Pick<UnrecordedMessages, 'recorded'>
  /** Called when a recipient waits in the store again, due at this Unix ms. */
  onWaiting(dueAt: number): void
  /** Called when results can be recorded again. */
  onRecovered(): void
  metrics: Metrics
  log: Log
}

/**
 * Records the results of deliveries, also those whose lease has been lost meanwhile, and reports the ones that cannot
 * be recorded.
 */
export class DeliveryResults {
  readonly #recorder: Recorder
  readonly #late = new LateResults()
  readonly #onWaiting: ResultsParts['onWaiting']

  constructor({ store, unrecorded, onWaiting, onRecovered, metrics, log }: ResultsParts) {
    this.#onWaiting = onWaiting
    this.#recorder = new Recorder(store, unrecorded, {
      onFault: (error) => {
        metrics.storeFaults.inc()
        log.error(
          { err: error },
          'Could not record delivery results; no deliveries start until this works again',
        )
      },
      onRecovered: () => {
        log.info({}, 'Delivery results are being recorded again; delivery continues')
        onRecovered()
      },
      onUnrecordable: ({ emailId }, error) => {
        metrics.storeFaults.inc()
        log.error(
          { err: error, emailId },
          'Could not write the result of a delivery. Its recipients stay in the state sending until the service restarts, and may then receive the message again',
        )
      },
      onFenced: (attempt, positions) => {
        metrics.fenced.inc(positions.length)
        log.warn(
          { emailId: attempt.emailId, recipients: positions },
          'A result was refused because it came after its lease had expired',
        )
      },
    })
  }

  /** True while nothing may be begun, because its result could not be recorded. */
  get halted(): boolean {
    return this.#recorder.halted
  }

  begin(ready: ReadyDelivery): void {
    this.#late.begin(ready)
  }

  /**
   * The part of a claimed email that may be begun. Recipients that are done already are recorded under their new lease.
   */
  sift(email: ClaimedEmail, token: number): ClaimedEmail {
    const split = this.#late.sift(email, token)
    if (split === null) return email
    for (const attempt of split.done) void this.record(attempt)
    return { ...email, recipients: split.go }
  }

  /**
   * `ready`: the delivery that the attempt belongs to. `handedOver`: its message holds a place. Resolves when the
   * result is durable, or given up.
   */
  async record(attempt: AttemptRecord, ready?: ReadyDelivery, handedOver?: true): Promise<void> {
    const recorded = await this.#recorder.record(attempt, handedOver)
    if (recorded === null) return
    for (const again of this.#late.settle(attempt, recorded.refused, ready)) void this.record(again)
    let earliest = Number.POSITIVE_INFINITY
    for (const { decision } of attempt.recipients) {
      earliest = Math.min(earliest, decision.change?.dueAt ?? Number.POSITIVE_INFINITY)
    }
    if (earliest !== Number.POSITIVE_INFINITY) this.#onWaiting(earliest)
  }

  /** The recipients are in quarantine: they are not tried again by themselves. */
  quarantined(ready: ReadyDelivery, message: string): void {
    const now = Date.now()
    this.#late.settle(releaseRecord(ready, { dueAt: now, held: false }, message), [], ready)
    this.#onWaiting(now)
  }

  /** Resolves when everything is recorded, or after `ms`: then the leases tell the next start what was under way. */
  flushed(ms: number): Promise<void> {
    return this.#recorder.flushed(ms)
  }
}
