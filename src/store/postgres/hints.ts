/**
 * Notifications. Anybody who may connect to the database can send any number of them; so their content is ignored, all
 * of them together cause at most one look at the tables in 20 ms, and while there are too many we stop listening.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks at the tables, however many hints come. */
const LOOK_PAUSE_MS = 20
/** Hints a second that are a flood: a node sends no more than 50. */
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

  /** Called when the tables are about to be looked at: earlier hints are settled by that. */
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

/** Does not keep the process alive; ends early with the signal. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
}
