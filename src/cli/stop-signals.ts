import type { Logger } from '../log.ts'

/**
 * Signals within this many milliseconds after the first belong to the same stop: a terminal and npm both pass the
 * signal on.
 */
const SAME_STOP = 1000

/**
 * Milliseconds for started parts to end when the start is interrupted. A hanging database would hold them up for
 * longer, and no work is under way that could be lost.
 */
const PARTS_END_WITHIN = 2000

/** Handles signals from the first moment on: without a handler, signals do not stop a container. */
export class StopSignals {
  readonly #stop = new AbortController()
  #log: Logger | null = null
  #since = 0
  #patience: NodeJS.Timeout | undefined
  /** The start is complete. */
  #started = false

  constructor() {
    const onSignal = (name: NodeJS.Signals) => this.#heard(name)
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  tellTo(log: Logger): void {
    this.#log = log
  }

  /** The start is complete: from here on, the process exits once `close` has resolved. */
  andThen(close: () => Promise<void>): void {
    this.#started = true
    clearTimeout(this.#patience)
    const end = () =>
      close().then(
        () => this.ended(),
        (error: unknown) => {
          this.#log?.fatal({ err: error }, 'the stop failed')
          process.exit(1)
        },
      )
    if (this.signal.aborted) void end()
    else this.signal.addEventListener('abort', end, { once: true })
  }

  ended(): never {
    this.#log?.info('stopped')
    process.exit(0)
  }

  #heard(signal: NodeJS.Signals): void {
    const now = performance.now()
    if (this.signal.aborted) {
      if (now - this.#since < SAME_STOP) return
      this.#log?.warn({ signal }, 'ended at once by a second signal')
      process.exit(1)
    }
    this.#since = now
    this.#log?.info({ signal }, 'stopping')
    if (!this.#started) this.#patience = setTimeout(() => this.ended(), PARTS_END_WITHIN)
    this.#stop.abort()
  }
}
