import type { RequiredTls } from '../common/required-tls.ts'
/** The nouns of accounts: companies, sending domains, API keys and routes. */

export type Scope = 'sending' | 'reading' | 'management'
export const SCOPES: readonly Scope[] = ['sending', 'reading', 'management']

/** A tenant. Owns domains, keys and emails; never sees anything of another company. */
export interface Company {
  id: string
  /** The operator's name for it, by which the command line finds it: no other company has it. */
  name: string
  /**
   * Its owners' name for it, which only its people see: another company may have the same, so that a refusal tells no
   * owner what other companies are called. Absent: the operator's.
   */
  ownName?: string
  createdAt: number
  limits: CompanyLimits
  /** Name of the pool that its mail leaves from, unless its domain has one; absent: none is assigned. */
  pool?: string
  /** Milliseconds for which the content of finished emails is kept; absent: as long as the installation keeps it. */
  contentRetention?: number
  /** The digest of its logo; absent: it has none. */
  logo?: string
}

/** The name of a company that its people see. */
export function shownName({ name, ownName = name }: Pick<Company, 'name' | 'ownName'>): string {
  return ownName
}

/** The name by which a person or a caller knows the company: operators keep to their own. */
export function nameFor(operator: boolean, company: Pick<Company, 'name' | 'ownName'>): string {
  return operator ? company.name : shownName(company)
}

/** Limits of a company. Null: no limit, or the default for a number of domains, keys or webhooks. */
export interface CompanyLimits extends Record<LimitedResource, number | null> {
  /** Requests a second, of all its keys together. */
  rate: number | null
  /** Recipients accepted a day, and a month, in UTC. */
  daily: number | null
  monthly: number | null
}

/** Things that a company may create freely up to a limit: every node holds them in memory. */
export type LimitedResource = 'domains' | 'keys' | 'webhooks'
/** The limits unless the operator sets others. Revoked keys do not count. */
export const USUAL_MAX: Readonly<Record<LimitedResource, number>> = {
  domains: 1_000,
  keys: 1_000,
  webhooks: 100,
}
/** The most DKIM keys of a domain. */
export const MAX_DKIM_KEYS = 10

export const NO_LIMITS: CompanyLimits = {
  rate: null,
  daily: null,
  monthly: null,
  domains: null,
  keys: null,
  webhooks: null,
}

/** Whether the required records were seen in DNS. */
type DomainStatus = 'pending' | 'verified'
/** Whether mail may leave from the domain. `suspended` is set by the operator and outlives verification. */
export type SendingState = 'inactive' | 'active' | 'suspended'

/** The settings of a domain. Nothing is tracked yet: the tracking settings are kept and shown to clients. */
export interface DomainSettings {
  /** No mail is accepted from the domain; what was accepted before still leaves. Absent: no. */
  sendingOff?: boolean
  /** The host to which bounces come back; absent: `bounces.` and the name of the domain. */
  returnPath?: string
  /** The TLS policy for connections that carry mail of the domain; absent: `opportunistic`. */
  tls?: 'opportunistic' | RequiredTls
  openTracking: boolean
  clickTracking: boolean
  /** Set only through the form dialect; absent: off, and the default texts. */
  openPixelOnTop?: boolean
  clicksInHtmlOnly?: boolean
  unsubscribeTracking?: boolean
  unsubscribeHtml?: string
  unsubscribeText?: string
  /** The scheme that tracking links would have; absent: https. */
  webScheme?: 'http' | 'https'
  /** Name of the pool of source addresses; absent: that of the company. */
  pool?: string
  /**
   * Milliseconds for which the content of finished emails of the domain is kept; the company's period applies if it is
   * shorter.
   */
  contentRetention?: number
  /** The DKIM keys of the domain are published in the zone of POSTROAD_DKIM_ZONE; absent: at the domain itself. */
  dkimDelegated?: boolean
  /** Ms after which the service rotates a delegated key; absent: POSTROAD_DKIM_ROTATION. */
  dkimRotation?: number | 'off'
}
export const DOMAIN_SETTINGS: Readonly<DomainSettings> = { openTracking: false, clickTracking: false }

export const RECORD_KINDS = [
  'dkim',
  'spf',
  'return_path_mx',
  'return_path_spf',
  'return_path_owner',
  'dmarc',
  'dmarc_report',
  'tls_report',
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]
/** `unknown`: DNS did not answer. */
export type RecordState = 'right' | 'missing' | 'different' | 'unknown'

export interface SendingDomain {
  id: string
  companyId: string
  /**
   * Lower-case A-label form (punycode). Several companies may have claimed it; only one of them holds it (`holdsName`).
   */
  name: string
  status: DomainStatus
  sending: SendingState
  createdAt: number
  settings: DomainSettings
  /** The result of the last DNS check, the worst of each kind; empty: never checked. */
  seen: Partial<Record<RecordKind, RecordState>>
  dkim: DkimIdentity[]
  /** The return-path host whose records DNS had when it answered last; null: it lacked them. */
  returnPathHost: string | null
  /** Unix ms since which DNS has lacked required records that it had before; null: it has them, or never had them. */
  lostSince: number | null
  /**
   * Ids of domains of the same company that may also be the author domain of this one's mail. Each of them has its own
   * sending state, which decides whether mail may leave from it.
   */
  speaksFor: string[]
}

/** True when the company owns the name: it has proven that, or the operator has activated the domain. */
export function holdsName({ status, sending }: Pick<SendingDomain, 'status' | 'sending'>): boolean {
  return status === 'verified' || sending === 'active'
}

/** True while the domain waits for its first records; one that has lost its records is not being set up. */
export function isBeingSetUp({ sending, lostSince }: Pick<SendingDomain, 'sending' | 'lostSince'>): boolean {
  return sending === 'inactive' && lostSince === null
}

/** Ms between two checks of the records of an active domain. */
export const CHECK_EVERY_MS = 60 * 60 * 1_000
/** Ms between two checks of a record that somebody is publishing at the moment, so that it is found soon. */
export const SOONEST_CHECK_MS = 60_000

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256'

/** One signing key of a domain. The private half leaves the service only sealed. */
export interface DkimIdentity {
  id: string
  selector: string
  algorithm: DkimAlgorithm
  /** True: mail is signed with it. An inactive key may be published in advance. */
  active: boolean
  /** Base64 of the public key, as in the `p=` tag (RFC 6376 3.6.1, RFC 8463 4). */
  publicKey: string
  /** PKCS#8 DER, sealed by `accounts/seal.ts`. */
  sealedPrivateKey: Uint8Array
  /** Its place in a rotation; null: it takes part in none. */
  rotation: DkimRotation | null
  /** The state of its record in the last DNS check; null: not checked yet. */
  seen: RecordState | null
  /** Unix ms since which checks have found this state; null: not checked yet, or not known. */
  seenSince: number | null
  /** Its record is in the operator's zone, and a CNAME record of the domain leads there (dkim-delegation.ts). */
  delegated: boolean
  /** Unix ms since which mail is signed with it; null: it signs none, or that is not known. */
  activeSince: number | null
}

/**
 * - `next`: will sign mail as soon as DNS has its record.
 * - `retiring`: no longer signs. Its record stays, because receivers still verify mail that it has signed.
 * - `retired`: its record may be removed from DNS.
 */
export type DkimStage = 'next' | 'retiring' | 'retired'

export interface DkimRotation {
  stage: DkimStage
  /** Unix ms when the stage began. */
  since: number
}

/**
 * Milliseconds for which the record of a key stays in DNS after the key has signed its last message. Receivers verify a
 * message when it arrives, which may be days later: a server on the way may hold and retry it (RFC 5321 4.5.4.1 asks
 * for at least 4 to 5 days), and mailboxes verify forwarded mail again.
 */
export const RETIRING_MS = 7 * 24 * 60 * 60 * 1_000

/** Whether receivers need the record of the key: it signs mail, or has signed mail that may still be under way. */
export function isPublished({ active, rotation }: Pick<DkimIdentity, 'active' | 'rotation'>): boolean {
  return active || rotation?.stage === 'retiring'
}

export interface ApiKey {
  id: string
  companyId: string
  name: string
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: Uint8Array
  /** The first characters of the token, by which people recognize it; null: not known. */
  tokenStart: string | null
  /**
   * The scrypt hash of a chosen password for SMTP (people/password.ts): with the key's name as login it has the rights
   * of the token. Null: no password.
   */
  password: string | null
  scopes: Scope[]
  /** Set when the key may send only from one domain. */
  domainId: string | null
  /** Address ranges that the key may be used from, in the form of `canonicalRange`; empty: anywhere. */
  networks: string[]
  createdAt: number
  /** Unix ms at which the key expires; null: never. */
  expiresAt: number | null
  revokedAt: number | null
}

/** The last use of a key, noted within a minute. */
export interface KeyUse {
  keyId: string
  /** Unix ms. */
  at: number
  /** The client's IP address. */
  address: string
  /** The User-Agent, or `SMTP`; null: the client named none. */
  client: string | null
}

/** A relay that takes the mail of a company, or of one of its domains, instead of POSTROAD_DELIVERY. */
export interface CustomRoute {
  /** Changes with every change of the route. */
  id: string
  companyId: string
  /** Null: the route of all domains of the company that have none of their own. */
  domainId: string | null
  /** As in POSTROAD_DELIVERY, without user and password. */
  url: string
  /** User and password, sealed (routes.ts); null: the relay needs none. */
  sealed: Uint8Array | null
  createdAt: number
}

/** Source addresses for the mail of some domains or companies, on whichever node has them. */
export interface SourcePool {
  name: string
  /** In canonical form, each once; at least one. */
  addresses: string[]
  /** When the warm-up of addresses began, in Unix ms by address. */
  warming: Readonly<Record<string, number>>
  createdAt: number
}

/** The pool of mail that no other pool is assigned to. */
export const DEFAULT_POOL = 'default'

/** All accounts at one moment; small enough to be held in memory by every node. */
export interface AccountsSnapshot {
  companies: Company[]
  domains: SendingDomain[]
  /** Removed domains whose mail may still wait. */
  removedDomains: Pick<SendingDomain, 'id' | 'name'>[]
  keys: ApiKey[]
  routes: CustomRoute[]
  pools: SourcePool[]
}

/**
 * The changes since an earlier version, in their present state. An id that is in `ids` but in none of the lists belongs
 * to a removed object. `routes`, `pools`: all of them, or null when none of them was changed.
 */
export interface AccountsChange extends Omit<AccountsSnapshot, 'routes' | 'pools'> {
  version: number
  ids: string[]
  routes: CustomRoute[] | null
  pools: SourcePool[] | null
}

/** In place of a key's id: a person of the console, who has sent something without a key. */
const PERSON = 'person:'

export function keyIdOfPerson(personId: string): string {
  return PERSON + personId
}

export function isOfPerson(keyId: string): boolean {
  return keyId.startsWith(PERSON)
}

/** In place of a key's id: a program that has sent over SMTP without a login, in capture mode. */
const NO_KEY = 'no-key'

/** The sender of mail without a login: it may name any author, because its mail is only captured. */
export function keylessSender(companyId: string, address: string): Principal {
  return { keyId: NO_KEY, companyId, scopes: new Set(['sending']), domainId: null, address }
}

export function isKeyless({ keyId }: Pick<Principal, 'keyId'>): boolean {
  return keyId === NO_KEY
}

/** In place of a key's id: the service itself, which mails people about the installation. */
const SERVICE_KEY = 'service'

export function serviceSender(companyId: string): Principal {
  return { keyId: SERVICE_KEY, companyId, scopes: new Set(['sending']), domainId: null, address: '' }
}

export function isOfService({ keyId }: Pick<Principal, 'keyId'>): boolean {
  return keyId === SERVICE_KEY
}

/** The caller, authenticated by an API key. */
export interface Principal {
  /** The key's id, or that of a person (`keyIdOfPerson`), or `NO_KEY`, or `SERVICE_KEY`. */
  keyId: string
  companyId: string
  scopes: ReadonlySet<Scope>
  /** The one domain that the key is restricted to, otherwise null. */
  domainId: string | null
  /** The IP address of the request, in any spelling; '' when unknown. */
  address: string
}

/** The reason why a caller is denied. */
export type Denial =
  /** Malformed, unknown or revoked: one answer for all three. */
  | { denied: 'unknown' }
  | { denied: 'expired' }
  /** The key may not be used from this address, which is in canonical form. */
  | { denied: 'elsewhere'; keyId: string; address: string }
