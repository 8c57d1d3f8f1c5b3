import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two attempts. */
const PAUSE_MS = 500

/**
 * Repairs that are due once the database can be reached again. Each is tried until it succeeds, in the order of
 * arrival.
 */
export class Repairs {
  readonly #left: (() => Promise<void>)[] = []
  readonly #closing = new AbortController()
  #trying: Promise<void> | null = null

  add(repair: () => Promise<void>): void {
    this.#left.push(repair)
    this.#trying ??= this.#untilDone()
  }

  /** Tries the remaining repairs once more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#trying
    await this.#once()
  }

  async #untilDone(): Promise<void> {
    const { signal } = this.#closing
    while (this.#left.length > 0 && !signal.aborted) {
      await pause(PAUSE_MS, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await this.#once()
    }
    this.#trying = null
  }

  async #once(): Promise<void> {
    try {
      for (let next = this.#left[0]; next !== undefined; next = this.#left[0]) {
        await next()
        this.#left.shift()
      }
    } catch {
      // The database is still away, or away again.
    }
  }
}
