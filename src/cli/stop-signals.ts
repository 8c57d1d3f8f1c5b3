import type { Logger } from '../log.ts'

/**
 * Signals that follow the first within this many milliseconds are the same stop, told twice: a terminal and npm both
 * pass it on.
 */
const SAME_STOP = 1000

/**
 * Milliseconds that parts which had started get to end, where the start is stopped. A database that is hanging would
 * hold them for longer, and nothing is under way that they could lose.
 */
const PARTS_END_WITHIN = 2000

/** From the first moment on: where nobody listens for them a container is not stopped by signals. */
export class StopSignals {
  readonly #stop = new AbortController()
  #log: Logger | null = null
  #since = 0
  #patience: NodeJS.Timeout | undefined
  /** The start is over. */
  #started = false

  constructor() {
    const heard = (name: NodeJS.Signals) => this.#heard(name)
    process.on('SIGTERM', heard)
    process.on('SIGINT', heard)
  }

  /** Aborted by the first of them. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  tellTo(log: Logger): void {
    this.#log = log
  }

  /** The start is over: from here on the process ends when `close` has. */
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
