/**
 * Passwords, hashed by scrypt (RFC 7914), in PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`.
 *
 * One password is hashed at a time: each takes 32 MB and a third of a second of a thread of libuv's pool, which signing
 * mail shares. Waiting requests take turns by their origin.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { CompanyTurns } from '../common/company-turns.ts'

interface Cost {
  /** Binary logarithm of N. */
  ln: number
  r: number
  p: number
}

/** The parameters of OWASP for servers that have to save memory (Password Storage Cheat Sheet). */
const COST: Cost = { ln: 15, r: 8, p: 3 }
const SALT = 16
const KEY = 32
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
/** Requests that may wait: the last of them for some seconds. */
const MAX_WAITING = 40
/** The most waiting requests of one origin. */
const MAX_OF_ONE = 8
/** Requests of known callers that go before one of the others: a customer may ask without end. */
const KNOWN_IN_A_ROW = 3

/** Too many requests are waiting for another one to be answered in time. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

/**
 * The caller: most requests of `known` ones go before those of others. `origin`: callers that share a turn, e.g. those
 * of a source address.
 */
export interface Hasher {
  origin: string
  known: boolean
}

/** Hashes and checks passwords, one after the other. */
export class Passwords {
  readonly #known = new CompanyTurns<() => Promise<void>>()
  readonly #unknown = new CompanyTurns<() => Promise<void>>()
  #working = false
  /** Requests of known callers since the last one of the others. */
  #knownInARow = 0
  /** Used when there is no password: an account that does not exist takes as long as one that does. */
  readonly #nobody = phc(COST, randomBytes(SALT), randomBytes(KEY))

  /** Returns the PHC string format. Rejects with PasswordsBusy. */
  hash(password: string, by: Hasher): Promise<string> {
    return this.#inTurn(by, async () => {
      const salt = randomBytes(SALT)
      return phc(COST, salt, await derive(password, salt, COST, KEY))
    })
  }

  /** `stored`: null when none is set, which takes the same time. Rejects with PasswordsBusy. */
  verify(password: string, stored: string | null, by: Hasher): Promise<boolean> {
    return this.#inTurn(by, async () => {
      const [, ln, r, p, salt, key] = PHC.exec(stored ?? this.#nobody) ?? []
      if (salt === undefined || key === undefined) {
        throw new Error('A stored password is not in the PHC string format of scrypt')
      }
      const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
      const wanted = Buffer.from(key, 'base64')
      const given = await derive(password, Buffer.from(salt, 'base64'), cost, wanted.length)
      return timingSafeEqual(given, wanted) && stored !== null
    })
  }

  /** True when another request would be rejected with PasswordsBusy now. */
  isFull({ origin, known }: Hasher): boolean {
    const turns = known ? this.#known : this.#unknown
    return turns.length >= MAX_WAITING || turns.waiting(origin) >= MAX_OF_ONE
  }

  #inTurn<Result>(by: Hasher, work: () => Promise<Result>): Promise<Result> {
    const { origin, known } = by
    const turns = known ? this.#known : this.#unknown
    if (this.isFull(by)) {
      return Promise.reject(new PasswordsBusy('Too many passwords are waiting to be checked'))
    }
    return new Promise((resolve, reject) => {
      turns.push(origin, () => work().then(resolve, reject))
      void this.#go()
    })
  }

  async #go(): Promise<void> {
    if (this.#working) return
    this.#working = true
    for (let next = this.#next(); next !== null; next = this.#next()) await next()
    this.#working = false
  }

  #next() {
    const known = this.#knownInARow < KNOWN_IN_A_ROW || this.#unknown.length === 0 ? this.#known.take() : null
    this.#knownInARow = known === null ? 0 : this.#knownInARow + 1
    return known ?? this.#unknown.take()
  }
}

/** The same password on every keyboard: NFKC, as in RFC 8265 4.2 and NIST SP 800-63B 5.1.1.2. */
function derive(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  const N = 2 ** ln
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

function phc({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${withoutPadding(salt)}$${withoutPadding(key)}`
}

function withoutPadding(octets: Buffer): string {
  return octets.toString('base64').replace(/=+$/, '')
}
