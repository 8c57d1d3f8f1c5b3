/**
 * Failed logins of a source address are answered one a second, so that guesses take time. A login that succeeds waits
 * for nobody: whatever others try from the same address, nobody is locked out.
 */
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import { addressGroup } from '../http/admission/address-group.ts'

/** Ms between two answers. */
const EVERY = 1_000
/** Ms that one is kept waiting at most. */
const LONGEST = 20_000
/** Ms between two lines in the log. */
const TOLD_EVERY = 1_000
/** Addresses are dropped once there are more than this many and nobody waits there. */
const SWEEP_AT = 10_000

export class FailedLogins {
  /** By source address: monotonic ms when the last answer leaves. */
  readonly #answered = new Map<string, number>()
  readonly #log: Pick<Log, 'warn'>
  readonly #throttle = new LogThrottle(TOLD_EVERY)
  #sweepAt = SWEEP_AT

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Tells the operator. `facts`: whose login it was, as far as that is known. */
  tell(facts: { requestId: string; address: string; user: string | null }): void {
    const others = this.#throttle.due()
    if (others !== null)
      this.#log.warn({ ...facts, ...(others > 0 && { others }) }, 'an SMTP login was refused')
  }

  /** A login has failed. Ms after which it is answered. */
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
