/**
 * How often somebody may try to prove who he is. There is a pace for each source address, for each account from such
 * an address, and for each account from all of them together; a few tries are free, then each waits for its turn. A
 * device on which the account's owner has signed in before has a pace of its own: whatever others try, it waits for
 * none of them (OWASP: "Slow Down Online Guessing Attacks with Device Cookies").
 *
 * A try counts when it begins, so that many at once gain nothing, and is taken back when it was right.
 */
import { LRUCache } from 'lru-cache'

/** What is kept; the longest unused go first. Each costs its owner a try. */
const MOST_LANES = 50_000
/** Ms that a try waits at most; where it would be longer it is refused. */
const LONGEST = 10_000

interface Pace {
  /** Tries that do not wait. */
  free: number
  /** Ms between two of the others. */
  every: number
}

const PACES = {
  /** Of an address, whatever account it tries. */
  address: { free: 20, every: 2_000 },
  /** Of an address at one account. */
  pair: { free: 5, every: 3_000 },
  /** Of all devices that an account has never been used on. */
  account: { free: 30, every: 1_000 },
  /** Of a device on which its owner has signed in. */
  device: { free: 10, every: 3_000 },
  /** Six digits at an account whose password is known: an hour has 120 tries, of a million codes. */
  code: { free: 8, every: 30_000 },
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
  takeBack(): void
}

export class Attempts {
  /** Of each lane, when it will have been paid for all that was tried there. */
  readonly #paidAt = new LRUCache<string, number>({ max: MOST_LANES })

  /** Throws TooManyAttempts, and counts nothing then. `now`: ms of a clock that does not go back. */
  begin(trying: Trying, now: number): Attempt {
    const lanes = lanesOf(trying)
    const wait = Math.max(...lanes.map(([name, key]) => this.#wait(name, key, now)))
    if (wait > LONGEST) throw new TooManyAttempts(wait)
    for (const [name, key] of lanes) this.#add(key, PACES[name].every, now)
    return {
      wait,
      takeBack: () => {
        for (const [name, key] of lanes) this.#add(key, -PACES[name].every, now)
      },
    }
  }

  #wait(name: PaceName, key: string, now: number): number {
    const { free, every } = PACES[name]
    return Math.max(0, (this.#paidAt.get(key) ?? now) - now - (free - 1) * every)
  }

  #add(key: string, ms: number, now: number): void {
    this.#paidAt.set(key, Math.max(now, this.#paidAt.get(key) ?? now) + ms)
  }
}

function lanesOf({ account, from, device, what }: Trying): [PaceName, string][] {
  const code: [PaceName, string][] = what === 'code' ? [['code', `code ${account} ${device ?? ''}`]] : []
  if (device !== null) return [...code, ['device', `device ${device} ${account}`]]
  return [
    ...code,
    ['address', `address ${from}`],
    ['pair', `pair ${from} ${account}`],
    ['account', `account ${account}`],
  ]
}
