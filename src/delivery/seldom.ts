import { monotonic } from './monotonic.ts'

/** An outage that goes on is told this often. Milliseconds. */
const TELL_MS = 10_000

/** Keeps what is tried twice a second from being told twice a second. */
export class Seldom {
  #toldAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  /** True when it is to be told now: the first time, and again some seconds after the last. */
  get due(): boolean {
    const now = this.#now()
    if (now - this.#toldAt < TELL_MS) return false
    this.#toldAt = now
    return true
  }

  /** It has ended: another one is told at once. */
  over(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY
  }
}
