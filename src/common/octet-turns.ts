/**
 * Turns of this thread for untrusted octets. Their framing is work before anything is known of them: records of one
 * octet, new keys with each record. So once a turn of the event loop is long, the rest waits for the next one, where
 * parties take turns.
 */
import { CompanyTurns } from './company-turns.ts'
import { turn } from './long-turn.ts'

class OctetTurns {
  readonly #waiting = new CompanyTurns<() => void>()
  #scheduled = false

  /** True when octets must wait: the turn is long, or others already wait. */
  get areOver(): boolean {
    return this.#waiting.length > 0 || turn.isLong
  }

  /** Calls `work`, which should be short, when the party's turn has come. */
  take(party: string, work: () => void): void {
    this.#waiting.push(party, work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    // At least one, so that a thread that is busy with other work makes progress here as well.
    do this.#waiting.take()?.()
    while (this.#waiting.length > 0 && !turn.isLong)
    this.#schedule()
  }
}

export const octetTurns = new OctetTurns()
