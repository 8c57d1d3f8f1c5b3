/** All accounts in memory: every request asks it, the store only when something changed. */
import { timingSafeEqual } from 'node:crypto'
import type { AccountsSnapshot, ApiKey, Company, Principal, SendingDomain } from './account.ts'
import { isToken, tokenDigest } from './token.ts'

interface Holder {
  tokenHash: Uint8Array
  principal: Principal
}

/** The accounts as of the last `replace`. Look-ups take constant time whatever the number of companies. */
export class AccountDirectory {
  #companies = new Map<string, Company>()
  #domains = new Map<string, SendingDomain>()
  #domainsByName = new Map<string, SendingDomain>()
  #keys = new Map<string, ApiKey>()
  /** By `tokenDigest`. */
  #holders = new Map<string, Holder>()
  /** By id of their key. */
  #principals = new Map<string, Principal>()

  /** Takes over a snapshot as a whole: whoever asks sees the old accounts or the new ones, never a mixture. */
  replace(snapshot: AccountsSnapshot): void {
    const holders = new Map<string, Holder>()
    const principals = new Map<string, Principal>()
    for (const key of snapshot.keys) {
      if (key.revokedAt !== null) continue
      const tokenHash = Buffer.from(key.tokenHash)
      const principal = {
        keyId: key.id,
        companyId: key.companyId,
        scopes: new Set(key.scopes),
        domainId: key.domainId,
      }
      holders.set(tokenHash.toString('base64'), { tokenHash, principal })
      principals.set(key.id, principal)
    }
    this.#companies = new Map(snapshot.companies.map((company) => [company.id, company]))
    this.#domains = new Map(snapshot.domains.map((domain) => [domain.id, domain]))
    this.#domainsByName = new Map(snapshot.domains.map((domain) => [domain.name, domain]))
    this.#keys = new Map(snapshot.keys.map((key) => [key.id, key]))
    this.#holders = holders
    this.#principals = principals
  }

  /** Who holds this token; null when it is malformed, unknown or revoked (one answer for all three). */
  authenticate(token: string): Principal | null {
    if (!isToken(token)) return null
    const digest = tokenDigest(token)
    const holder = this.#holders.get(digest)
    if (!holder || !timingSafeEqual(holder.tokenHash, Buffer.from(digest, 'base64'))) return null
    return holder.principal
  }

  /** The same holder as things stand now; null when the key was revoked meanwhile. */
  current({ keyId }: Principal): Principal | null {
    return this.#principals.get(keyId) ?? null
  }

  /** `name` as a lower-case A-label (punycode), the form `parseDomain` makes. */
  domainNamed(name: string): SendingDomain | undefined {
    return this.#domainsByName.get(name)
  }

  domain(id: string): SendingDomain | undefined {
    return this.#domains.get(id)
  }

  company(id: string): Company | undefined {
    return this.#companies.get(id)
  }

  /** Revoked keys are found too. */
  key(id: string): ApiKey | undefined {
    return this.#keys.get(id)
  }

  /** In order of creation. */
  companies(): Company[] {
    return [...this.#companies.values()].sort((a, b) => a.createdAt - b.createdAt)
  }
}
