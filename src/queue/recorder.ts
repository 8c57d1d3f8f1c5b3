import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import type { Log } from '../common/logging.ts'
import { release } from '../common/octets.ts'
import type { Metrics } from '../metrics.ts'
import { type AttemptRecord, type RecordResult, type Store, StoreUnavailable } from '../store/store.ts'

interface RecorderParts {
  store: Pick<Store, 'record'>
  /** The places of unrecorded deliveries. */
  unrecorded: Pick<UnrecordedMessages, 'recorded'>
  /** Called when results can be recorded again. */
  onRecovered(): void
  metrics: Pick<Metrics, 'storeFaults' | 'fenced'>
  log: Log
}

const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000
/** A store that has taken no result for this long, while results wait, counts as halted. */
const STALLED_MS = 2_000

/**
 * Writes results to the store until they are durable. While the store takes none, `halted` is true and nothing new may
 * be sent: a message that was delivered but not recorded would be sent again after a crash.
 */
export class Recorder {
  readonly #parts: RecorderParts
  readonly #watch: NodeJS.Timeout
  #unrecorded = 0
  /** Answers of the store so far, and their number at the last look. */
  #answers = 0
  #answersSeen = 0
  #idleLooks = 0
  #faulty = 0
  #stalled = false
  #given = false
  #flushed: (() => void) | undefined

  constructor(parts: RecorderParts, stalledMs = STALLED_MS) {
    this.#parts = parts
    this.#watch = setInterval(() => this.#look(), stalledMs / 2).unref()
  }

  get halted(): boolean {
    return this.#faulty > 0 || this.#stalled
  }

  /**
   * Resolves when there is nothing more to try; never rejects. Null when the attempt could not be written: then its
   * lease must be kept, because a delivered message must not be sent again. `handedOver`: its message holds a place,
   * which is given back in the end.
   */
  async record(attempt: AttemptRecord, handedOver = false): Promise<RecordResult | null> {
    this.#unrecorded++
    let wait = FIRST_RETRY_MS
    let failed = false
    let recorded: RecordResult | null = null
    for (;;) {
      try {
        recorded = await this.#parts.store.record(attempt)
        this.#answered()
        // A refused result may be recorded again, under the lease of a later claim.
        if (recorded.refused.length === 0) release(attempt.captured)
        else this.#reportRefused(attempt, recorded.refused)
        break
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) {
          this.#answered()
          this.#reportUnrecordable(attempt, error)
          break
        }
        if (!failed) {
          failed = true
          if (this.#faulty++ === 0 && !this.#stalled) this.#reportFault(error)
        }
        this.#answered()
        if (this.#given) break
        await new Promise((resolve) => setTimeout(resolve, wait))
        wait = Math.min(wait * 2, MAX_RETRY_MS)
      }
    }
    if (failed && --this.#faulty === 0) this.#reportRecovery()
    if (handedOver) this.#parts.unrecorded.recorded()
    if (--this.#unrecorded === 0) this.#flushed?.()
    return recorded
  }

  /** Resolves when everything is recorded, or after `ms`: then the leases tell the next start what was under way. */
  async flushed(ms: number): Promise<void> {
    if (this.#unrecorded > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#flushed = resolve
      const timer = setTimeout(() => {
        this.#given = true
        resolve()
      }, ms)
      await promise
      clearTimeout(timer)
    }
    clearInterval(this.#watch)
  }

  /** Any answer shows that the store is not silent. */
  #answered(): void {
    this.#answers++
    if (!this.#stalled) return
    this.#stalled = false
    this.#reportRecovery()
  }

  /** Detects a store that neither takes results nor refuses them: its machine cannot be reached, say. */
  #look(): void {
    const waits = this.#unrecorded > 0 && this.#faulty === 0 && this.#answers === this.#answersSeen
    this.#answersSeen = this.#answers
    this.#idleLooks = waits ? this.#idleLooks + 1 : 0
    // The first of three looks in a row may have come just after a result began to wait; from it to the third, the full
    // wait passes.
    if (this.#idleLooks < 3 || this.#stalled) return
    this.#stalled = true
    this.#reportFault(new StoreUnavailable('The database has not answered for some time'))
  }

  #reportFault(error: unknown): void {
    const { metrics, log } = this.#parts
    metrics.storeFaults.inc()
    log.error({ err: error }, 'Could not record delivery results; no deliveries start until this works again')
  }

  #reportRecovery(): void {
    if (this.halted || this.#given) return
    this.#parts.log.info({}, 'Delivery results are being recorded again; delivery continues')
    this.#parts.onRecovered()
  }

  /** This one result can never be written (a damaged page, say); the store takes others. */
  #reportUnrecordable({ emailId }: AttemptRecord, error: unknown): void {
    const { metrics, log } = this.#parts
    metrics.storeFaults.inc()
    log.error(
      { err: error, emailId },
      'Could not write the result of a delivery. Its recipients stay in the state sending until the service restarts, and may then receive the message again',
    )
  }

  #reportRefused({ emailId }: AttemptRecord, positions: number[]): void {
    const { metrics, log } = this.#parts
    metrics.fenced.inc(positions.length)
    log.warn(
      { emailId, recipients: positions },
      'A result was refused because it came after its lease had expired',
    )
  }
}
