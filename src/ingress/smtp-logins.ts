/**
 * SMTP logins with a chosen password. A token has 190 random bits; a chosen password may be guessed, so it is hashed
 * slowly, and attempts are throttled (people/attempts.ts): by source address, by login and source address, and by login
 * from all addresses together. An address with an earlier successful login is throttled
 * separately, so that attackers lock nobody out.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKey, Principal } from '../accounts/account.ts'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import { Refusal, refusalOf } from '../intake/refusal.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import { type Attempt, type AttemptCounter, Attempts, TooManyAttempts } from '../people/attempts.ts'
import { type Hasher, Passwords, PasswordsBusy } from '../people/password.ts'
import { addressGroup } from './admission/address-group.ts'
import type { Callers } from './caller.ts'
import { Fault } from './fault.ts'

/** Ms during which a verified password is accepted without being hashed again. */
const KNOWN_FOR = 10 * 60_000
/** The most cached passwords, and the most cached addresses of logins. The oldest are dropped first. */
const MAX_KEPT = 20_000
/** Seconds after which to try again when too many passwords wait to be hashed. */
const RETRY_AFTER = 2

export interface SmtpLogin {
  /** E.g. `postmaster@mg.example.com`. */
  user: string
  password: string
}

interface SmtpLoginParts {
  accounts: Pick<LiveAccounts, 'directory'>
  callers: Pick<Callers, 'catchUp'>
  counter: AttemptCounter
}

interface Guess {
  /** The login in canonical form. */
  name: string
  /** Undefined: there is no such login. */
  key: ApiKey | undefined
  password: string
  /** The address group of the client. */
  group: string
}

interface RememberedPassword {
  digest: Buffer
  /** Monotonic ms. */
  until: number
}

export class SmtpLogins {
  readonly #parts: SmtpLoginParts
  readonly #attempts: Attempts
  /** Separate from the console's: guesses here do not delay sign-ins there. */
  readonly #passwords = new Passwords()
  /** The key of the digests below. It exists only in the memory of this process. */
  readonly #secret = randomBytes(32)
  /** Digests (`#digestOf`) of verified passwords, by the id of the key. */
  readonly #verified = new Map<string, RememberedPassword>()
  /** Logins, each with a source address from which it has succeeded. */
  readonly #addresses = new Set<string>()
  /** Verifications under way, shared because a client may open several connections at once. */
  readonly #looking = new Map<string, Promise<boolean>>()

  constructor(parts: SmtpLoginParts) {
    this.#parts = parts
    this.#attempts = new Attempts(parts.counter)
  }

  /** Hashes a chosen password for `ApiKey.password`. Rejects with a Fault. */
  async hash(password: string, companyId: string): Promise<string> {
    try {
      return await this.#passwords.hash(password, { origin: companyId, known: true })
    } catch (error) {
      throw error instanceof PasswordsBusy ? busy(error) : error
    }
  }

  /** Whether there is a login of this user name, with any password. */
  knows(user: string): boolean {
    const name = nameOf(user)
    return name !== null && this.#parts.accounts.directory.loginNamed(name) !== undefined
  }

  /** Authenticates a login from this address. Rejects with a Refusal or a Fault. */
  async identify(login: SmtpLogin, from: string): Promise<Principal> {
    const { directory } = this.#parts.accounts
    const name = nameOf(login.user)
    if (name === null) throw new Refusal({ code: 'key_invalid', mistake: 'shape' })
    let key = directory.loginNamed(name)
    if (key === undefined || !this.#isVerified(key, login.password)) {
      // The login may be new, or its password may have just changed.
      await this.#parts.callers.catchUp(from)
      key = directory.loginNamed(name)
      // No login of this domain exists, so an answer at once reveals nothing. Most guesses of strangers are of this
      // kind.
      if (key === undefined && !directory.hasLogins(domainOf(name)))
        throw new Refusal({ code: 'key_invalid', mistake: 'unknown' })
      if (
        !(await this.#look({ name, key, password: login.password, group: addressGroup(from) })) ||
        key === undefined
      ) {
        throw new Refusal({ code: 'key_invalid', mistake: 'unknown' })
      }
    }
    const principal = directory.holder(key.id, from)
    if ('denied' in principal) throw refusalOf(principal)
    return principal
  }

  /** Verifies the password, once for all simultaneous logins with the same one. */
  #look(guess: Guess): Promise<boolean> {
    const id = `${placeOf(guess)} ${guess.key?.id} ${this.#digestOf(guess).toString('base64')}`
    const looking = this.#looking.get(id) ?? this.#verify(guess).finally(() => this.#looking.delete(id))
    this.#looking.set(id, looking)
    return looking
  }

  async #verify(guess: Guess): Promise<boolean> {
    const { key, password, group } = guess
    const known = this.#addresses.has(placeOf(guess))
    const by = { origin: group, known }
    // Checked before the attempt is counted, so that a flood writes to the store no more often than passwords are
    // verified.
    if (this.#passwords.isFull(by)) throw busy()
    const attempt = await this.#begin(guess, known)
    if (attempt.wait > 0) await pause(attempt.wait, undefined, { ref: false })
    const right = await this.#compare(password, key?.password ?? null, by, attempt)
    if (!right || key === undefined) return false
    await attempt.takeBack()
    this.#remember(guess, key)
    return true
  }

  #remember(guess: Guess, { id }: ApiKey): void {
    const place = placeOf(guess)
    for (const [kept, name] of [
      [this.#addresses, place],
      [this.#verified, id],
    ] as const)
      kept.delete(name)
    // Added last, as the newest.
    this.#addresses.add(place)
    this.#verified.set(id, { digest: this.#digestOf(guess), until: performance.now() + KNOWN_FOR })
    for (const kept of [this.#addresses, this.#verified]) {
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    }
  }

  async #begin({ name, group }: Guess, known: boolean): Promise<Attempt> {
    const account = `smtp:${name}`
    const trying = { account, from: group, device: known ? group : null, what: 'password' } as const
    try {
      return await this.#attempts.begin(trying, Date.now())
    } catch (error) {
      if (!(error instanceof TooManyAttempts)) throw error
      const retryAfter = Math.ceil(error.retryAfter / 1_000)
      const detail = `There were too many wrong passwords; try again in ${retryAfter} s`
      const reason = {
        code: 'person_refused',
        status: 429,
        why: 'too_many_attempts',
        detail,
        retryAfter,
      } as const
      throw new Fault(reason, { cause: error })
    }
  }

  async #compare(password: string, stored: string | null, by: Hasher, attempt: Attempt): Promise<boolean> {
    try {
      return await this.#passwords.verify(password, stored, by)
    } catch (error) {
      await attempt.takeBack()
      throw error instanceof PasswordsBusy ? busy(error) : error
    }
  }

  #isVerified(key: ApiKey, password: string): boolean {
    const verified = this.#verified.get(key.id)
    if (verified === undefined || verified.until < performance.now()) return false
    return timingSafeEqual(verified.digest, this.#digestOf({ key, password }))
  }

  /** Changing the login's password changes the digest. */
  #digestOf({ key, password }: Pick<Guess, 'key' | 'password'>): Buffer {
    const text = JSON.stringify([key?.password ?? null, password])
    return createHmac('sha256', this.#secret).update(text).digest()
  }
}

/** A login in canonical form; null for an invalid one. */
function nameOf(user: string): string | null {
  const at = user.lastIndexOf('@')
  if (at < 1) return null
  try {
    return `${user.slice(0, at).toLowerCase()}@${parseDomain(user.slice(at + 1))}`
  } catch (error) {
    if (error instanceof AddressError) return null
    throw error
  }
}

function domainOf(name: string): string {
  return name.slice(name.lastIndexOf('@') + 1)
}

/** A login together with the address group of the attempt. */
function placeOf({ name, group }: Guess): string {
  return `${name} ${group}`
}

function busy(cause?: unknown): Fault {
  return new Fault({ code: 'overloaded', retryAfter: RETRY_AFTER }, { cause })
}
