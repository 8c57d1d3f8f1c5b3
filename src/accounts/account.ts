/** The nouns of who may send as whom. */

export type Scope = 'sending' | 'reading' | 'management'
export const SCOPES: readonly Scope[] = ['sending', 'reading', 'management']

/** A tenant. Owns domains, keys and emails; never sees anything of another. */
export interface Company {
  id: string
  name: string
  createdAt: number
  limits: CompanyLimits
}

/** Null: there is none, or, of what it may own, the usual one. */
export interface CompanyLimits extends Record<Owned, number | null> {
  /** Requests a second, of all its keys together. */
  rate: number | null
  /** Recipients accepted on one day, and in one month, in UTC. */
  daily: number | null
  monthly: number | null
}

/** What a company has as many of as it likes, up to a limit: every node holds them in memory. */
export type Owned = 'domains' | 'keys' | 'webhooks'
/** How many where the operator has said nothing. Keys that are revoked do not count. */
export const USUAL_MOST: Readonly<Record<Owned, number>> = { domains: 1_000, keys: 1_000, webhooks: 100 }
/** DKIM keys of a domain. */
export const MOST_DKIM_KEYS = 10

export const NO_LIMITS: CompanyLimits = {
  ...{ rate: null, daily: null, monthly: null },
  ...{ domains: null, keys: null, webhooks: null },
}

/** Whether the records to publish were seen in DNS. */
export type DomainStatus = 'pending' | 'verified'
/** Whether mail may leave from the domain. `suspended` is the operator's word and outlives verification. */
export type SendingState = 'inactive' | 'active' | 'suspended'

/** The settings of a domain. Nothing is tracked yet: the tracking settings are kept and shown to clients. */
export interface DomainSettings {
  /** No mail is accepted from the domain; what was accepted before still leaves. Absent: no. */
  sendingOff?: boolean
  openTracking: boolean
  clickTracking: boolean
  /** What only the form dialect sets; absent: no, and its usual words. */
  openPixelOnTop?: boolean
  clicksInHtmlOnly?: boolean
  unsubscribeTracking?: boolean
  unsubscribeHtml?: string
  unsubscribeText?: string
  /** The scheme that tracking links would have; absent: https. */
  webScheme?: 'http' | 'https'
}
export const DOMAIN_SETTINGS: Readonly<DomainSettings> = { openTracking: false, clickTracking: false }

export type RecordKind = 'dkim' | 'spf' | 'dmarc'
/** `unknown`: DNS could not be asked. */
export type RecordState = 'right' | 'missing' | 'different' | 'unknown'

export interface SendingDomain {
  id: string
  companyId: string
  /**
   * Lower-case A-label form (punycode). Several companies may have asked for it; one of them alone holds it
   * (`holdsName`).
   */
  name: string
  status: DomainStatus
  sending: SendingState
  createdAt: number
  settings: DomainSettings
  /** What DNS had when it was asked last, the worst of each kind; empty: it was never asked. */
  seen: Partial<Record<RecordKind, RecordState>>
  dkim: DkimIdentity[]
  /**
   * Ids of domains of the same company that mail of this one may be from as well. Whether mail may leave from each is
   * that one's own state.
   */
  speaksFor: string[]
}

/** Whether the name is this company's: it has shown that it is, or the operator has said so. */
export function holdsName({ status, sending }: Pick<SendingDomain, 'status' | 'sending'>): boolean {
  return status === 'verified' || sending === 'active'
}

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256'

/** One signing key of a domain. The private half leaves the database only sealed. */
export interface DkimIdentity {
  id: string
  selector: string
  algorithm: DkimAlgorithm
  /** Mail is signed with it; one that is not may be published before. */
  active: boolean
  /** Base64 of the public key as it stands in the `p=` tag (RFC 6376 3.6.1, RFC 8463 4). */
  publicKey: string
  /** PKCS#8 DER, sealed by `accounts/seal.ts`. */
  sealedPrivateKey: Uint8Array
}

export interface ApiKey {
  id: string
  companyId: string
  name: string
  /** SHA-256 of the token; the token itself is never kept. */
  tokenHash: Uint8Array
  /**
   * Of a login over SMTP whose password somebody chose, as scrypt has hashed it (people/password.ts): under the name of
   * the key it opens what the token does. Null: there is none.
   */
  password: string | null
  scopes: Scope[]
  /** Set when the key may send from one domain only. */
  domainId: string | null
  /** Ranges of addresses it may be used from, as `canonicalRange` writes them; empty: from anywhere. */
  networks: string[]
  createdAt: number
  /** Unix ms from which it works no more; null: never. */
  expiresAt: number | null
  revokedAt: number | null
}

/** A relay that takes the mail of a company, or of one of its domains, instead of POSTROAD_DELIVERY. */
export interface Route {
  /** Another one after every change. */
  id: string
  companyId: string
  /** Null: of all domains of the company that have none of their own. */
  domainId: string | null
  /** As in POSTROAD_DELIVERY, without user and password. */
  url: string
  /** User and password, sealed (routes.ts); null: the relay asks for none. */
  sealed: Uint8Array | null
  createdAt: number
}

/** All accounts at one moment; small enough to be held in memory by every node. */
export interface AccountsSnapshot {
  companies: Company[]
  domains: SendingDomain[]
  /** Mail from them may still wait. */
  removedDomains: Pick<SendingDomain, 'id' | 'name'>[]
  keys: ApiKey[]
  routes: Route[]
}

/**
 * What was changed since an earlier version, as it is now. What has an id among `ids` and is in no list is gone.
 * `routes`: all of them, or null where none was changed.
 */
export interface AccountsChange extends Omit<AccountsSnapshot, 'routes'> {
  version: number
  ids: string[]
  routes: Route[] | null
}

/** In the place of a key's id: a person of the console, who has sent something without a key. */
const PERSON = 'person:'

export function keyIdOfPerson(personId: string): string {
  return PERSON + personId
}

export function isOfPerson(keyId: string): boolean {
  return keyId.startsWith(PERSON)
}

/** Who is asking, established by an API key. */
export interface Principal {
  /** Or that of a person (`keyIdOfPerson`). */
  keyId: string
  companyId: string
  scopes: ReadonlySet<Scope>
  /** The one domain the key is restricted to, else null. */
  domainId: string | null
  /** The IP address the request comes from, in any spelling; '' when that cannot be told. */
  address: string
}

/** Why somebody is not let in. */
export type Denial =
  /** Malformed, unknown or revoked: one answer for all three. */
  | { denied: 'unknown' }
  | { denied: 'expired' }
  /** The key may not be used from this address, here in its one spelling. */
  | { denied: 'elsewhere'; keyId: string; address: string }
