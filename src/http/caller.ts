/** Who makes a request: the one look at its key, for every dialect. */
import type { IncomingMessage } from 'node:http'
import type { Principal } from '../accounts/account.ts'
import { Refusal, refusalOf } from '../intake/refusal.ts'
import type { Admission } from './admission/admission.ts'
import type { ClientAddress } from './client-address.ts'
import type { Keyring } from './deps.ts'
import type { RateLimiter } from './rate-limit.ts'

export interface CallerParts {
  directory: Keyring
  address: ClientAddress
  rate: RateLimiter | null
  admission: Admission
}

export class Callers {
  readonly #parts: CallerParts

  constructor(parts: CallerParts) {
    this.#parts = parts
  }

  /**
   * Who holds `token`; null stands for what is no credential of the dialect's scheme. The request then counts for the key's rate and its
   * company's share. Throws a Refusal or a Fault.
   */
  admit(request: IncomingMessage, token: string | null): Principal {
    const { directory, address, rate, admission } = this.#parts
    if (token === null) throw new Refusal({ code: 'key_invalid' })
    const caller = directory.authenticate(token, address.of(request))
    if ('denied' in caller) throw refusalOf(caller)
    rate?.check(caller.keyId)
    admission.admit(request, caller.companyId)
    return caller
  }
}
