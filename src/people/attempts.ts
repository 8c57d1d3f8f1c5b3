/**
 * Limits attempts to sign in, and requests for the mail that lets a person in again. There is a pace for each source
 * address, for each account from such an address, and for each account from all addresses together; a few attempts are
 * free, then each waits for its turn. A device on which the account's owner has signed in before has a pace of its own,
 * so other people's attempts never delay it (OWASP: "Slow Down Online Guessing Attacks with Device Cookies").
 *
 * An attempt counts as soon as it begins, so that many attempts at once gain nothing. A successful attempt is taken
 * back. All nodes count together.
 */
import { hash } from 'node:crypto'

/** Milliseconds that an attempt waits at most; it is refused if the wait would be longer. */
const LONGEST = 10_000

export interface AttemptPace {
  /** Attempts that do not wait. */
  free: number
  /** Milliseconds between further attempts. */
  every: number
}

/** A count of attempts, as a leaky bucket. */
export interface AttemptLane extends AttemptPace {
  /** A hash of the thing whose attempts are counted, e.g. of an account. */
  lane: string
}

/** Counts attempts for all nodes (store/people-store.ts). */
export interface AttemptCounter {
  beginAttempt(lanes: readonly AttemptLane[], now: number, longest: number): Promise<number>
  takeBackAttempt(lanes: readonly AttemptLane[]): Promise<void>
}

const PACES = {
  /** Attempts from one source address at any accounts. */
  address: { free: 20, every: 2_000 },
  /** Attempts from one source address at one account. */
  pair: { free: 5, every: 3_000 },
  /** All devices on which an account was never used, together. */
  account: { free: 30, every: 1_000 },
  /** A device on which the account's owner has signed in. */
  device: { free: 10, every: 3_000 },
  /**
   * Codes of six digits at an account whose password is known. Three of a million codes are valid at any time
   * (totp.ts), so 40 attempts an hour guess right once in 8,300 hours.
   */
  code: { free: 8, every: 90_000 },
  /** Links for a new password, each use of which costs a hash. A use that sets the password does not count. */
  link: { free: 5, every: 60_000 },
  /** Mails with a link for a new password to one address, limited so that nobody can flood a mailbox. */
  mailbox: { free: 3, every: 20 * 60_000 },
  /** The same mails, requested from one source address. */
  mailer: { free: 10, every: 60_000 },
  /** The same mails, requested from all address groups of one network. */
  network: { free: 30, every: 20_000 },
} as const satisfies Record<string, AttemptPace>
type PaceName = keyof typeof PACES

export interface AttemptSource {
  /** A person's id, or an address without an account. */
  account: string
  /** The source address, or the group that it stands for. */
  from: string
  /** The network around the group, for mails; absent: it counts as the group. */
  network?: string
  /** A device on which this account was used before; null: none. */
  device: string | null
  /** The factor that is tried; `mail`: a request for a link to choose a new password; `link`: its use. */
  what: 'password' | 'code' | 'mail' | 'link'
}

/** The next attempt would have to wait longer than the limit. */
export class TooManyAttempts extends Error {
  override name = 'TooManyAttempts'
  /** Milliseconds until the next attempt is possible. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super(`Too many attempts: the next one is ${retryAfter} ms away`)
    this.retryAfter = retryAfter
  }
}

/** An attempt that was begun. */
export interface Attempt {
  /** Milliseconds to wait before the attempt is checked. */
  wait: number
  /** To be called when the attempt succeeded, or was not checked. */
  takeBack(): Promise<void>
}

/** Counts an attempt. If it would have to wait longer than `longest` ms, it is not counted. `now`: Unix ms. */
export async function countAttempt(
  counter: AttemptCounter,
  lanes: readonly AttemptLane[],
  now: number,
  longest: number,
): Promise<Attempt | TooManyAttempts> {
  const wait = await counter.beginAttempt(lanes, now, longest)
  if (wait > longest) return new TooManyAttempts(wait)
  return { wait, takeBack: () => counter.takeBackAttempt(lanes) }
}

export class Attempts {
  readonly #counter: AttemptCounter

  constructor(counter: AttemptCounter) {
    this.#counter = counter
  }

  /** Counts an attempt, or rejects with TooManyAttempts without counting the attempt. `now`: Unix ms. */
  async begin(trying: AttemptSource, now: number): Promise<Attempt> {
    const attempt = await countAttempt(this.#counter, lanesOf(trying), now, LONGEST)
    if (attempt instanceof TooManyAttempts) throw attempt
    return attempt
  }
}

function lanesOf({ account, from, network = from, device, what }: AttemptSource): AttemptLane[] {
  if (what === 'mail') {
    const around = network === from ? [] : [lane('network', network)]
    return [lane('mailer', from), ...around, lane('mailbox', account)]
  }
  if (what === 'link') return [lane('link', account)]
  const code = what === 'code' ? [lane('code', account, device ?? '')] : []
  if (device !== null) return [...code, lane('device', device, account)]
  return [...code, lane('address', from), lane('pair', from, account), lane('account', account)]
}

function lane(pace: PaceName, ...of: string[]): AttemptLane {
  return attemptLane(pace, PACES[pace], ...of)
}

/** The hash has a fixed length, however long the typed address is. `name`: of the pace. */
export function attemptLane(name: string, pace: AttemptPace, ...of: string[]): AttemptLane {
  return { lane: hash('sha256', JSON.stringify([name, ...of]), 'base64url'), ...pace }
}
