/** Releases mail that was held, and tries again until the store has done it. */
import type { Log } from '../common/logging.ts'
import type { HoldRelease, Store } from '../store/store.ts'

/** Milliseconds after which a release that failed is tried again. */
const AGAIN_MS = 60_000

interface HoldReleasesParts {
  store: Pick<Store, 'releaseHeld'>
  /** Called when mail has been released. */
  onReleased(): void
  log: Pick<Log, 'error'>
}

interface ReleaseFailure {
  /** Called at once. */
  failed?(): void
  /** Called in a minute. */
  again(): void
}

export class HoldReleases {
  readonly #parts: HoldReleasesParts
  #stopped = false

  constructor(parts: HoldReleasesParts) {
    this.#parts = parts
  }

  /** Ends the retries of failed releases. */
  stop(): void {
    this.#stopped = true
  }

  /** Makes held mail of the sending domain (id) due. Never rejects. */
  release(domainId: string, which: Omit<HoldRelease, 'now'>, onFailure: ReleaseFailure): Promise<void> {
    const { store, onReleased, log } = this.#parts
    return store.releaseHeld(domainId, { now: Date.now(), ...which }).then(onReleased, (error) => {
      log.error({ err: error }, 'Could not release held mail; retrying in a minute')
      onFailure.failed?.()
      setTimeout(() => {
        if (!this.#stopped) onFailure.again()
      }, AGAIN_MS).unref()
    })
  }
}
