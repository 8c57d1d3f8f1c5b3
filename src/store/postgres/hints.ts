/**
 * Notifications, used only as hints to look at the tables, because anybody who may connect to the database can send any
 * number of them. All hints together cause at most one look in 20 ms, and after too many of them we stop listening for
 * a while.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks at the tables, however many hints come. */
const LOOK_PAUSE_MS = 20
/** Hints in one second that count as a flood; a node sends no more than 50. */
const FLOOD = 5_000
const WINDOW_MS = 1_000
/** Milliseconds without listening after a flood. */
const DEAF_MS = 10_000

export class Hints {
  /** A hint has come since the last look. */
  #came = false
  #wake: () => void = () => {}
  #count = 0
  /** Monotonic milliseconds: when the count began, and when listening starts again. */
  #countedFrom = 0
  #deafUntil = 0

  /** Counts a hint. False when it is one too many: then the caller gives up the connection that it came over. */
  take(): boolean {
    const now = performance.now()
    if (now - this.#countedFrom > WINDOW_MS) {
      this.#countedFrom = now
      this.#count = 0
    }
    this.#came = true
    this.#wake()
    if (++this.#count < FLOOD) return true
    this.#deafUntil = now + DEAF_MS
    return false
  }

  /** False for some time after a flood. */
  get listening(): boolean {
    return performance.now() >= this.#deafUntil
  }

  /** Must be called right before a look at the tables, which answers all earlier hints. */
  looking(): void {
    this.#came = false
  }

  /** Resolves when it is time for the next look: soon after a hint, at the latest after `atLatest` milliseconds. */
  async next(atLatest: number, signal: AbortSignal): Promise<void> {
    await sleep(LOOK_PAUSE_MS, signal)
    if (this.#came || signal.aborted) return
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await sleep(atLatest - LOOK_PAUSE_MS, AbortSignal.any([signal, woken.signal]))
    this.#wake = () => {}
  }
}

/** Waits without keeping the process alive. Ends early, without an error, when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
}
