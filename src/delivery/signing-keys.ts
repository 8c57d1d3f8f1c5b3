import type { SendingDomain } from '../accounts/account.ts'
import { openPrivateKey, type Seal } from '../accounts/seal.ts'
import type { SigningKey } from './delivery.ts'

/** Private keys, unsealed and parsed once: parsing costs more than signing does. */
export class SigningKeys {
  readonly #seal: Seal
  readonly #parsed = new Map<string, SigningKey>()

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** The keys that a message from this domain is signed with. Throws SealError when one cannot be opened. */
  keysOf(domain: SendingDomain): SigningKey[] {
    const keys: SigningKey[] = []
    for (const identity of domain.dkim) {
      if (!identity.active) continue
      let key = this.#parsed.get(identity.id)
      // The selector of a key may be changed.
      if (key?.selector !== identity.selector) {
        key = {
          id: identity.id,
          domain: domain.name,
          selector: identity.selector,
          algorithm: identity.algorithm,
          privateKey: openPrivateKey(this.#seal, identity),
        }
        this.#parsed.set(identity.id, key)
      }
      keys.push(key)
    }
    return keys
  }
}
