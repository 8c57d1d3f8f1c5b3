/**
 * How often somebody may try to prove who they are. There is a pace for each source address, for each account from such
 * an address, and for each account from all of them together; a few tries are free, then each waits for its turn. A
 * device on which the account's owner has signed in before has a pace of its own: whatever others try, it waits for
 * none of them (OWASP: "Slow Down Online Guessing Attacks with Device Cookies").
 *
 * A try counts when it begins, so that many at once gain nothing, and is taken back when it was right. All nodes count
 * together.
 */
import { hash } from 'node:crypto'

/** Ms that a try waits at most; where it would be longer it is refused. */
const LONGEST = 10_000

interface Pace {
  /** Tries that do not wait. */
  free: number
  /** Ms between two of the others. */
  every: number
}

/** A count of tries, as a leaky bucket. */
export interface AttemptLane extends Pace {
  /** A hash of the thing whose tries are counted, e.g. of an account. */
  lane: string
}

/** Counts them for all nodes (store/people-store.ts). */
export interface AttemptCounter {
  beginAttempt(lanes: readonly AttemptLane[], now: number, longest: number): Promise<number>
  takeBackAttempt(lanes: readonly AttemptLane[]): Promise<void>
}

const PACES = {
  /** Of an address, whatever account it tries. */
  address: { free: 20, every: 2_000 },
  /** Of an address at one account. */
  pair: { free: 5, every: 3_000 },
  /** Of all devices that an account has never been used on. */
  account: { free: 30, every: 1_000 },
  /** A device on which the account's owner has signed in. */
  device: { free: 10, every: 3_000 },
  /**
   * Of six digits at an account whose password is known. Three of a million codes count at any time (totp.ts), so 40
   * tries an hour guess right once in 8,300 hours.
   */
  code: { free: 8, every: 90_000 },
} as const satisfies Record<string, Pace>
type PaceName = keyof typeof PACES

export interface Trying {
  /** A person's id, or the address of none. */
  account: string
  /** Source address, or whom it stands for. */
  from: string
  /** A device on which this account was used before; null: none. */
  device: string | null
  /** What is tried. */
  what: 'password' | 'code'
}

/** The next try would have to wait longer than anybody is kept waiting. */
export class TooManyAttempts extends Error {
  override name = 'TooManyAttempts'
  /** Ms after which one may be made. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super(`Too many attempts: the next one is ${retryAfter} ms away`)
    this.retryAfter = retryAfter
  }
}

/** A try that was begun. */
export interface Attempt {
  /** Ms to wait before it is looked at. */
  wait: number
  /** It was right, or was not looked at. */
  takeBack(): Promise<void>
}

export class Attempts {
  readonly #counter: AttemptCounter

  constructor(counter: AttemptCounter) {
    this.#counter = counter
  }

  /** Rejects with TooManyAttempts, and counts nothing then. `now`: unix ms. */
  async begin(trying: Trying, now: number): Promise<Attempt> {
    const lanes = lanesOf(trying)
    const wait = await this.#counter.beginAttempt(lanes, now, LONGEST)
    if (wait > LONGEST) throw new TooManyAttempts(wait)
    return { wait, takeBack: () => this.#counter.takeBackAttempt(lanes) }
  }
}

function lanesOf({ account, from, device, what }: Trying): AttemptLane[] {
  const code = what === 'code' ? [lane('code', account, device ?? '')] : []
  if (device !== null) return [...code, lane('device', device, account)]
  return [...code, lane('address', from), lane('pair', from, account), lane('account', account)]
}

/** The hash has one length, however long the typed address is. */
function lane(pace: PaceName, ...of: string[]): AttemptLane {
  return { lane: hash('sha256', JSON.stringify([pace, ...of]), 'base64url'), ...PACES[pace] }
}
