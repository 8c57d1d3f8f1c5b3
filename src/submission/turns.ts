/**
 * Turns of the sessions on the main thread. A command is cheap, but a client may send hundreds in one packet, and
 * hundreds of clients may do so at once: all of them would run in one turn of the event loop. So each turn processes a
 * bounded amount of input, and companies take turns.
 */
import { CompanyTurns } from '../common/company-turns.ts'

/**
 * Octets of commands and messages in one turn of the event loop, and the cost of a command in addition to its octets.
 */
const IN_ONE_TURN = 48 * 1024
const COMMAND_COST = 256

export class SessionTurns {
  readonly #waiting = new CompanyTurns<() => void>()
  #left = IN_ONE_TURN
  #scheduled = false

  /** Null: the party has its turn now. A promise resolves when its turn comes. */
  take(party: string, octets: number): Promise<void> | null {
    const cost = COMMAND_COST + octets
    this.#schedule()
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= cost
      return null
    }
    return new Promise((resolve) => {
      this.#waiting.push(party, () => {
        this.#left -= cost
        resolve()
      })
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    this.#left = IN_ONE_TURN
    while (this.#left > 0) {
      const begin = this.#waiting.take()
      if (begin === null) return
      begin()
    }
    this.#schedule()
  }
}
