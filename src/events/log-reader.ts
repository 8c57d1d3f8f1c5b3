/**
 * The loop that reads the log. It reads the next events and hands them over, rests until more may have come or it is
 * woken, and waits while the store is unavailable. Live pages, durable followers and webhooks use it, each with its own
 * query. The store does not announce events, so the loop polls the log.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Events of one query. */
export const PAGE = 1_000
/** Ms between two readings when there was no event, and after a fault. */
export const POLL_MS = 200
export const FAULT_MS = 1_000

interface LogReading {
  /** Reads the next events and hands them over. Returns the ms to rest before the next reading. */
  read(): Promise<number>
  /** A reading failed, and will be repeated. An error that this function throws ends the loop. */
  onFault(error: unknown): void
  /** Ends the loop, after the reading under way. */
  signal: AbortSignal
  /** False: a rest does not keep the process alive. */
  ref?: false
}

export class LogReader {
  readonly #reading: LogReading
  #restMs = 0
  #woken = false
  #endRest: () => void = () => {}

  constructor(reading: LogReading) {
    this.#reading = reading
    reading.signal.addEventListener('abort', () => this.wake(), { once: true })
  }

  async run(): Promise<void> {
    while (await this.next());
  }

  /** Rests, then reads; repeats both after a fault. Returns false when the signal has aborted. */
  async next(): Promise<boolean> {
    const { read, onFault, signal } = this.#reading
    while (!signal.aborted) {
      await this.#rest()
      if (signal.aborted) break
      try {
        this.#restMs = await read()
        return !signal.aborted
      } catch (error) {
        if (!signal.aborted) onFault(error)
        this.#restMs = FAULT_MS
      }
    }
    return false
  }

  /** Begins the next reading without a rest. */
  wake(): void {
    this.#woken = true
    this.#endRest()
  }

  async #rest(): Promise<void> {
    if (!this.#woken && this.#restMs > 0) {
      const early = new AbortController()
      this.#endRest = () => early.abort()
      await pause(this.#restMs, early.signal, this.#reading.ref)
    }
    this.#woken = false
  }
}

/** Returns early, without an error, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal, ref = true): Promise<void> {
  await sleep(ms, undefined, { signal, ref }).catch(() => {})
}
