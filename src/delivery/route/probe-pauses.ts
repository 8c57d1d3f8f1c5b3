/**
 * The first pause; longer for a relay that refuses the credentials, because providers lock an account after some failed
 * logins.
 */
const FIRST_MS = 10_000
const FIRST_CREDENTIALS_MS = 60_000
const LONGEST_MS = 30 * 60_000

/**
 * Pauses before another try after a failure that was not the mail's fault: half as long as the failure has lasted, from
 * seconds to half an hour, and never longer than the retry schedule would have waited.
 */
export class ProbePauses {
  readonly #first: number
  readonly #firstCredentials: number
  readonly #longest: number
  readonly #random: () => number

  /** `waits`: the waits of the retry schedule, in milliseconds. */
  constructor(waits: readonly number[], random: () => number = Math.random) {
    const shortest = waits[0] ?? FIRST_MS
    this.#first = Math.min(FIRST_MS, shortest / 2)
    this.#firstCredentials = Math.min(FIRST_CREDENTIALS_MS, shortest / 2)
    this.#longest = Math.min(LONGEST_MS, Math.max(shortest, ...waits))
    this.#random = random
  }

  /** In milliseconds, up to a tenth longer by chance. `backOff`: the first pause at this site; absent: that of all. */
  after(lastedMs: number, credentials = false, backOff?: number): number {
    const first = backOff ?? (credentials ? this.#firstCredentials : this.#first)
    const longest = Math.max(this.#longest, backOff ?? 0)
    const pause = Math.min(longest, Math.max(first, lastedMs / 2))
    return Math.round(pause * (1 + this.#random() / 10))
  }

  /** A random time from 0 to the longest pause, in milliseconds. */
  spread(): number {
    return Math.round(this.#longest * this.#random())
  }
}
