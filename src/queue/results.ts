import { LateResults } from '../cluster/late-results.ts'
import type { Unrecorded } from '../cluster/unrecorded.ts'
import type { Log } from '../common/logging.ts'
import type { Metrics } from '../metrics.ts'
import type { AttemptRecord, ClaimedEmail, Store } from '../store/store.ts'
import { releaseRecord } from './attempt.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { Recorder } from './recorder.ts'

export interface ResultsParts {
  store: Pick<Store, 'record'>
  /** What is handed over and not recorded. */
  unrecorded: Pick<Unrecorded, 'recorded'>
  /** Something waits in the store again, due at this Unix ms. */
  onWaiting(dueAt: number): void
  /** Results can be recorded again. */
  onRecovered(): void
  metrics: Metrics
  log: Log
}

/**
 * What became of deliveries: written down, also when their lease has been lost meanwhile, and told when it cannot be.
 */
export class Results {
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
          'Results of deliveries cannot be recorded; nothing new is begun until they can',
        )
      },
      onRecovered: () => {
        log.info({}, 'Results are recorded again; delivery goes on')
        onRecovered()
      },
      onUnrecordable: ({ emailId }, error) => {
        metrics.storeFaults.inc()
        log.error(
          { err: error, emailId },
          'The result of a delivery cannot be written. Its recipients count as being sent until the service is restarted, and may then be sent again',
        )
      },
      onFenced: (attempt, positions) => {
        metrics.fenced.inc(positions.length)
        log.warn(
          { emailId: attempt.emailId, recipients: positions },
          'A result came after its lease had ended and was refused',
        )
      },
    })
  }

  /** Nothing may be begun: its result could not be recorded. */
  get halted(): boolean {
    return this.#recorder.halted
  }

  begin(ready: ReadyDelivery): void {
    this.#late.begin(ready)
  }

  /** What of a claimed email may be begun. What of it is done already is written down under its new lease. */
  sift(email: ClaimedEmail, token: number): ClaimedEmail {
    const sifted = this.#late.sift(email, token)
    if (sifted === null) return email
    for (const attempt of sifted.done) void this.record(attempt)
    return { ...email, recipients: sifted.go }
  }

  /**
   * `ready`: what was begun for it. `handedOver`: its message holds a place. Resolves when it is durable, or given up.
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

  /** Its recipients are in quarantine: nothing of it comes again by itself. */
  quarantined(ready: ReadyDelivery, message: string): void {
    const now = Date.now()
    this.#late.settle(releaseRecord(ready, { dueAt: now, held: false }, message), [], ready)
    this.#onWaiting(now)
  }

  /** Everything is recorded, or `ms` are over: then the leases tell the next start what was under way. */
  flushed(ms: number): Promise<void> {
    return this.#recorder.flushed(ms)
  }
}
