/**
 * Notifications. Whoever may connect to the database may send any, as many as they like; so what one says is not looked
 * at, all of them together cause no more than one look at the tables in 20 ms, and nobody is listened to while there
 * are too many.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two looks at the tables, however many hints come. */
const LOOK_PAUSE_MS = 20
/** As many in a second are a flood: a node sends no more than 50. */
const FLOOD = 5_000
const WINDOW_MS = 1_000
/** Milliseconds for which nobody is listened to after a flood. */
const DEAF_MS = 10_000

export class Hints {
  /** Set when something came since the last look. */
  #came = false
  #wake: () => void = () => {}
  #count = 0
  /** Monotonic milliseconds: when the count began, and when listening is worth while again. */
  #countedFrom = 0
  #deafUntil = 0

  /** Notes one that came. False when it is one too many: then the connection they come over is to be given up. */
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

  /** Called when the tables are being looked at: what came before counts no more. */
  looking(): void {
    this.#came = false
  }

  /**
   * Resolves when it is time for the next look: when a hint came, but not at once, or after `atLatest` milliseconds.
   */
  async next(atLatest: number, signal: AbortSignal): Promise<void> {
    await sleep(LOOK_PAUSE_MS, signal)
    if (this.#came || signal.aborted) return
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await sleep(atLatest - LOOK_PAUSE_MS, AbortSignal.any([signal, woken.signal]))
    this.#wake = () => {}
  }
}

/** Keeps no process alive; ends early with the signal. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
}
