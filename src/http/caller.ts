/** Who makes a request: the one look at its key, for every dialect. */
import type { IncomingMessage } from 'node:http'
import type { Principal } from '../accounts/account.ts'
import { isToken } from '../accounts/token.ts'
import { Refusal, refusalOf } from '../intake/refusal.ts'
import type { Admission } from './admission/admission.ts'
import { Strangers } from './admission/strangers.ts'
import type { ClientAddress } from './client-address.ts'
import type { HttpDeps } from './deps.ts'
import type { RateLimiter } from './rate-limit.ts'

/** Seconds after which a key may be tried again that could not be looked up. */
const RETRY_AFTER = 5

export interface CallerParts {
  accounts: HttpDeps['accounts']
  address: ClientAddress
  rate: RateLimiter | null
  admission: Admission
}

export class Callers {
  readonly #parts: CallerParts
  readonly #strangers = new Strangers()

  constructor(parts: CallerParts) {
    this.#parts = parts
  }

  /**
   * Who holds `token`; null stands for what is no credential of the dialect's scheme. The request then counts for the
   * key's rate and its company's share. Throws a Refusal or a Fault. A promise only where the key is not known here:
   * every await costs.
   */
  admit(request: IncomingMessage, token: string | null): Principal | Promise<Principal> {
    const { accounts, address } = this.#parts
    if (token === null) throw new Refusal({ code: 'key_invalid' })
    const from = address.of(request)
    const caller = accounts.directory.authenticate(token, from)
    if (!('denied' in caller)) return this.#counted(request, caller)
    if (caller.denied !== 'unknown' || !isToken(token)) throw refusalOf(caller)
    return this.#admitNew(request, token, from)
  }

  /** The key may have been made a moment ago, and not be known here yet. */
  async #admitNew(request: IncomingMessage, token: string, from: string): Promise<Principal> {
    const { accounts } = this.#parts
    await this.#strangers.waitFor(from, () => accounts.catchUp().catch(cannotTell))
    const caller = accounts.directory.authenticate(token, from)
    if ('denied' in caller) throw refusalOf(caller)
    return this.#counted(request, caller)
  }

  #counted(request: IncomingMessage, caller: Principal): Principal {
    const { rate, admission } = this.#parts
    rate?.check(caller.keyId)
    admission.admit(request, caller.companyId)
    return caller
  }
}

function cannotTell(cause: unknown): never {
  const detail = 'it cannot be told whether a key exists'
  throw new Refusal({ code: 'unavailable', retryAfter: RETRY_AFTER, detail }, { cause })
}
