/** Authentication of requests by their key, for every dialect. */
import type { IncomingMessage } from 'node:http'
import type { Principal } from '../accounts/account.ts'
import { isToken } from '../accounts/token.ts'
import { Refusal, refusalOf } from '../intake/refusal.ts'
import type { Admission } from './admission/admission.ts'
import { Strangers } from './admission/strangers.ts'
import type { Visitor } from './admission/visit.ts'
import type { ClientAddress } from './client-address.ts'
import type { IngressDeps } from './deps.ts'
import type { KeyUses } from './key-uses.ts'
import type { RateLimits } from './rate-limit.ts'
import { noteClient } from './request-log/request-trace.ts'

/** Seconds after which a client may try a key again that could not be looked up. */
const RETRY_AFTER = 5

interface CallerParts {
  accounts: IngressDeps['accounts']
  address: ClientAddress
  rate: RateLimits
  admission: Admission
  uses: KeyUses
}

export class Callers {
  readonly #parts: CallerParts
  readonly #strangers = new Strangers()

  constructor(parts: CallerParts) {
    this.#parts = parts
  }

  /**
   * Authenticates the holder of `token`; null stands for a credential of another scheme than the dialect's. The request
   * then counts towards the key's rate and its company's share. Throws a Refusal or a Fault. Returns a promise only for
   * a key that this node does not know: every await has a cost.
   */
  admit(request: IncomingMessage, token: string | null): Principal | Promise<Principal> {
    if (token === null) throw new Refusal({ code: 'key_invalid', mistake: 'scheme' })
    const address = this.#parts.address.addressOf(request)
    // This note counts until the key is known, and stays if the key is refused.
    noteClient(request, { companyId: null, keyId: null, address })
    const caller = this.identify(token, address)
    if (!(caller instanceof Promise)) return this.count(request, caller)
    return caller.then((known) => this.count(request, known))
  }

  /**
   * Authenticates the holder of `token`, calling from this address. Throws a Refusal or a Fault; a promise as in
   * `admit`.
   */
  identify(token: string, from: string): Principal | Promise<Principal> {
    const caller = this.#parts.accounts.directory.authenticate(token, from)
    if (!('denied' in caller)) return caller
    if (caller.denied !== 'unknown') throw refusalOf(caller)
    if (!isToken(token)) throw new Refusal({ code: 'key_invalid', mistake: 'shape' })
    return this.#identifyNew(token, from)
  }

  /** Looks again after catching up, because the key may be too new for this node. */
  async #identifyNew(token: string, from: string): Promise<Principal> {
    const { accounts } = this.#parts
    await this.catchUp(from)
    const caller = accounts.directory.authenticate(token, from)
    if ('denied' in caller) throw refusalOf(caller)
    return caller
  }

  /**
   * Resolves when everything committed before the call is known here; until then the call takes a place among
   * strangers. Rejects with a Refusal or a Fault.
   */
  async catchUp(from: string): Promise<void> {
    await this.#strangers.waitFor(from, () => this.#parts.accounts.catchUp().catch(cannotTell))
  }

  /** The caller as the accounts are now. Throws a Refusal if its key is no longer valid. */
  current(caller: Principal): Principal {
    const current = this.#parts.accounts.directory.current(caller)
    if ('denied' in current) throw refusalOf(current)
    return current
  }

  /**
   * Counts a request, or a mail transaction, towards the rate of its key and company, and towards its company's share
   * until the admission's `release`. Throws a Fault.
   */
  count(request: Visitor, caller: Principal): Principal {
    noteClient(request, caller)
    this.#parts.uses.note(request, caller)
    this.countRate(request, caller)
    this.#parts.admission.admit(request, caller.companyId)
    return caller
  }

  /** Counts towards the rates alone: the request is already admitted under another share. */
  countRate(request: Visitor, caller: Principal): void {
    this.#parts.rate.check(request, caller)
  }
}

function cannotTell(cause: unknown): never {
  const detail = 'could not look up an API key'
  throw new Refusal({ code: 'unavailable', of: 'writing', retryAfter: RETRY_AFTER, detail }, { cause })
}
