/** How a webhook fares: how much it is asked at a time, when it is down, and when it is given up. */

/** Under way at a time: so many at first and after a failure, and more with each answer while nothing fails. */
const FIRST_AT_ONCE = 16
const MOST_AT_ONCE = 64
/** So many failures in a row, and it counts as down: then one event at a time tries it, after growing pauses. */
const DOWN_AFTER = 5
const FIRST_PAUSE_MS = 1_000
/** Failing for so long, and nothing else, it is given up. */
const GIVEN_UP_AFTER_MS = 5 * 24 * 3_600_000
export const GIVEN_UP = 'it has failed for five days, and never succeeded meanwhile'

export class Health {
  readonly #longestPause: number
  #failingSince: number | null
  #atOnce = FIRST_AT_ONCE
  #failures = 0
  /** When it went down; null: it is not. */
  #downSince: number | null = null
  #pause = 0
  #pausedUntil = 0

  constructor(failingSince: number | null, longestPause: number) {
    this.#failingSince = failingSince
    this.#longestPause = longestPause
  }

  /** Unix ms since when there were nothing but failures; null: the last try succeeded. */
  get failingSince(): number | null {
    return this.#failingSince
  }

  get down(): boolean {
    return this.#downSince !== null
  }

  /** So many may be under way. */
  get atOnce(): number {
    return this.down ? 1 : this.#atOnce
  }

  rests(now: number): boolean {
    return now < this.#pausedUntil
  }

  succeeded(): void {
    this.#failures = 0
    this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce + 1)
    this.#failingSince = null
    this.#downSince = null
    this.#pausedUntil = 0
  }

  /** @param began Unix ms when the try did: those that began before it went down say nothing new. */
  failed(began: number, now: number): void {
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
