import { type AttemptRecord, type Store, StoreUnavailable } from '../store/store.ts'

export interface RecorderEvents {
  /** The store did not take results; called once for each time it stops. */
  onFault(error: unknown): void
  onRecovered(): void
  onFenced(attempt: AttemptRecord, positions: number[]): void
  /** This one result can never be written (a damaged page, say); the store takes others. */
  onUnrecordable(attempt: AttemptRecord, error: unknown): void
}

const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

/**
 * Writes results down until they are durable. While the store takes none, `paused` is true and nothing new may be sent: a
 * message that was delivered but is not recorded would be sent again after a crash.
 */
export class Recorder {
  readonly #store: Store
  readonly #events: RecorderEvents
  #unrecorded = 0
  #faulty = 0
  #given = false
  #flushed: (() => void) | undefined

  constructor(store: Store, events: RecorderEvents) {
    this.#store = store
    this.#events = events
  }

  get paused(): boolean {
    return this.#faulty > 0
  }

  /**
   * Resolves when there is nothing more to try; never rejects. True when the attempt is durable or was refused by its fence;
   * false when it could not be written: then its lease must be kept, for what was delivered must not be sent again.
   */
  async record(attempt: AttemptRecord): Promise<boolean> {
    this.#unrecorded++
    let wait = FIRST_RETRY_MS
    let failed = false
    let recorded = false
    for (;;) {
      try {
        const { refused } = await this.#store.record(attempt)
        if (refused.length > 0) this.#events.onFenced(attempt, refused)
        recorded = true
        break
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) {
          this.#events.onUnrecordable(attempt, error)
          break
        }
        if (!failed) {
          failed = true
          if (this.#faulty++ === 0) this.#events.onFault(error)
        }
        if (this.#given) break
        await new Promise((resolve) => setTimeout(resolve, wait))
        wait = Math.min(wait * 2, MAX_RETRY_MS)
      }
    }
    if (failed && --this.#faulty === 0 && !this.#given) this.#events.onRecovered()
    if (--this.#unrecorded === 0) this.#flushed?.()
    return recorded
  }

  /** Everything is recorded, or `ms` are over: then the leases tell the next start what was under way. */
  async flushed(ms: number): Promise<void> {
    if (this.#unrecorded === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#flushed = resolve
    const timer = setTimeout(() => {
      this.#given = true
      resolve()
    }, ms)
    await promise
    clearTimeout(timer)
  }
}
