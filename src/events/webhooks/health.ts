/** The health of a webhook. It decides the requests at a time, and when the webhook is down or given up. */

/** Requests at a time: at first and after a failure, and at most after a run of successes. */
const FIRST_AT_ONCE = 16
const MAX_AT_ONCE = 64
/**
 * Failures in a row after which the webhook counts as down: then one event at a time probes it, after growing pauses.
 */
const DOWN_AFTER = 5
const FIRST_PAUSE_MS = 1_000
/** Milliseconds without a success after which the webhook is given up. */
const GIVEN_UP_AFTER_MS = 5 * 24 * 3_600_000
export const DISABLED_REASON = 'all attempts failed for five days'

export class Health {
  readonly #longestPause: number
  #failingSince: number | null
  #atOnce = FIRST_AT_ONCE
  #failures = 0
  /** When it went down; null: it is not down. */
  #downSince: number | null = null
  #pause = 0
  #pausedUntil = 0

  constructor(failingSince: number | null, longestPause: number) {
    this.#failingSince = failingSince
    this.#longestPause = longestPause
  }

  /** Unix ms since when every attempt failed; null: the last attempt succeeded. */
  get failingSince(): number | null {
    return this.#failingSince
  }

  get down(): boolean {
    return this.#downSince !== null
  }

  /** The most requests under way. */
  get atOnce(): number {
    return this.down ? 1 : this.#atOnce
  }

  rests(now: number): boolean {
    return now < this.#pausedUntil
  }

  recordSuccess(): void {
    this.#failures = 0
    this.#atOnce = Math.min(MAX_AT_ONCE, this.#atOnce + 1)
    this.#failingSince = null
    this.#downSince = null
    this.#pausedUntil = 0
  }

  /**
   * @param began Unix ms of the attempt's beginning: attempts that began before the webhook went down do not lengthen
   * the pause
   */
  recordFailure(began: number, now: number): void {
    this.#failures++
    this.#atOnce = FIRST_AT_ONCE
    this.#failingSince ??= began
    if (this.#downSince === null) {
      if (this.#failures < DOWN_AFTER) return
      this.#downSince = now
      this.#pause = Math.min(FIRST_PAUSE_MS, this.#longestPause)
    } else if (began >= this.#downSince) {
      this.#pause = Math.min(2 * this.#pause, this.#longestPause)
    }
    this.#pausedUntil = now + this.#pause
  }

  isGivenUp(now: number): boolean {
    return this.#failingSince !== null && now >= this.#failingSince + GIVEN_UP_AFTER_MS
  }
}
