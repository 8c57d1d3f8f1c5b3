/**
 * Turns at this thread for octets that strangers send. Their framing is work before anything is known of them: records
 * of one octet, new keys with each record. So once a turn of the event loop is long, the rest waits for the next one,
 * where parties take turns.
 */
import { CompanyTurns } from './company-turns.ts'
import { turn } from './long-turn.ts'

class OctetTurns {
  readonly #waiting = new CompanyTurns<() => void>()
  #scheduled = false

  /** Whether octets are to wait: the turn is long, or others wait already. */
  get areOver(): boolean {
    return this.#waiting.length > 0 || turn.isLong
  }

  /** Calls `work`, a little of it, when it is the party's turn. */
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
    // One at least, so that a thread that is busy with other work goes on with this, too.
    do this.#waiting.take()?.()
    while (this.#waiting.length > 0 && !turn.isLong)
    this.#schedule()
  }
}

export const octetTurns = new OctetTurns()
