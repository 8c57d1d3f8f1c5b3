/**
 * Failed logins from one source address are answered at one a second, to slow down guessing. Successful logins never
 * wait, so nobody is locked out by attempts of others from the same address.
 */
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import { addressGroup } from '../ingress/admission/address-group.ts'

/** Ms between two answers. */
const EVERY = 1_000
/** The longest delay of an answer, in ms. */
const LONGEST = 20_000
/** Ms between two lines in the log. */
const LOG_EVERY = 1_000
/** At this number of addresses, those without a pending answer are dropped. */
const SWEEP_AT = 10_000

export class FailedLogins {
  /** Time of the last answer (monotonic ms) by source address. */
  readonly #answered = new Map<string, number>()
  readonly #log: Pick<Log, 'warn'>
  readonly #throttle = new LogThrottle(LOG_EVERY)
  #sweepAt = SWEEP_AT

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Logs a failed login. `facts`: the client, as far as it is known. */
  tell(facts: { requestId: string; address: string; user: string | null }): void {
    const others = this.#throttle.due()
    if (others !== null)
      this.#log.warn({ ...facts, ...(others > 0 && { others }) }, 'an SMTP login was refused')
  }

  /** Registers a failed login. Returns the delay of its answer in ms. */
  delay(address: string, now: number = performance.now()): number {
    const group = addressGroup(address)
    const last = this.#answered.get(group)
    if (last === undefined && this.#answered.size >= this.#sweepAt) this.#sweep(now)
    const at = Math.min(Math.max(now, last ?? 0) + EVERY, now + LONGEST)
    this.#answered.set(group, at)
    return at - now
  }

  #sweep(now: number): void {
    for (const [group, at] of this.#answered) if (at <= now) this.#answered.delete(group)
    this.#sweepAt = Math.max(SWEEP_AT, this.#answered.size * 2)
  }
}
