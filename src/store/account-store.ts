/** Companies, sending domains and API keys. */

import type {
  AccountsChange,
  AccountsSnapshot,
  ApiKey,
  Company,
  CompanyLimits,
  CustomRoute,
  DkimIdentity,
  KeyUse,
  RecordState,
  SendingDomain,
  SourcePool,
} from '../accounts/account.ts'
import type { CompanyLogo } from '../accounts/company-logo.ts'
import type { NewCompanyEvent } from '../email/company-event.ts'

/** The owner of a route: a company (`domainId` null) or one of its domains. */
export type RouteScope = Pick<CustomRoute, 'companyId' | 'domainId'>

/** A change of a sending domain; absent fields stay as they are. */
export interface DomainChange
  extends Partial<
    Pick<
      SendingDomain,
      'status' | 'sending' | 'speaksFor' | 'settings' | 'seen' | 'returnPathHost' | 'lostSince'
    >
  > {
  /** The state of the record of each DKIM key at a time (Unix ms), by the id of the key. */
  keysSeen?: { at: number; states: Readonly<Record<string, RecordState>> }
  /**
   * The company has proven that it owns the domain: an inactive domain becomes active, a suspended one stays suspended.
   */
  proven?: true
}

/** The parts of a DKIM key that are new when it takes the place of another one. */
export type FreshDkimKey = Pick<DkimIdentity, 'id' | 'publicKey' | 'sealedPrivateKey'>

/** A change of a DKIM key; absent fields stay as they are. */
type DkimChange = Partial<Pick<DkimIdentity, 'active' | 'selector' | 'activeSince'>>

/** When the service asked DNS for the records of a domain, and when it asks again, in Unix ms. */
export interface DomainCheckTimes {
  /** Null: never. */
  checkedAt: number | null
  /** Null: when somebody asks for it. */
  dueAt: number | null
}

/** A domain whose check is due. */
export interface DueDomain {
  id: string
  companyId: string
}

/** A claim of domains whose check is due. */
interface DomainChecksClaim {
  /** Unix ms. */
  now: number
  /** Unix ms. Unless the check is noted before, the domain is due again then. */
  until: number
  limit: number
  /** Ids of companies whose domains are skipped. */
  except: readonly string[]
}

/** A change of a company; absent fields and limits stay as they are. */
interface CompanyChange {
  name?: string
  /** Null: the operator's. */
  ownName?: string | null
  limits?: Partial<CompanyLimits>
  /** Name of a pool of source addresses; null: none. */
  pool?: string | null
  /** Milliseconds; null: as long as the installation keeps content. */
  contentRetention?: number | null
}

/** Messages from an address that is warming up to a site. */
export interface WarmUpCount {
  source: string
  /** Key of the site. */
  site: string
  messages: number
}

/** A request for a part of the messages that a source may send to a site on a day. */
export interface WarmUpRequest extends Omit<WarmUpCount, 'messages'> {
  /** The messages of the day that all nodes may send together. */
  limit: number
  /** The most messages that are wanted now. */
  most: number
}

/** The answer. `messages`: those of the day, of all nodes, including the `taken` ones. */
export interface WarmUpPart extends WarmUpCount {
  taken: number
}

export interface AccountReads {
  accounts(): Promise<AccountsSnapshot>
  /** The version, which changes with every change of accounts. Costs the same however many accounts there are. */
  accountsVersion(): Promise<number>
  /** The changes since that version. Null: the version is too old, everything must be read. */
  accountsSince(version: number): Promise<AccountsChange | null>
  /** The domain as it is now; null when the id is unknown. */
  findDomain(id: string): Promise<SendingDomain | null>
  /** Null when the domain is unknown. */
  domainCheckTimes(id: string): Promise<DomainCheckTimes | null>
  /** The highest counts of messages on a day from addresses that are warming up, at most `most` of them. */
  warmUpCounts(day: number, most: number): Promise<WarmUpCount[]>
  /** Null: the company has none, or is unknown. */
  findLogo(companyId: string): Promise<CompanyLogo | null>
  /** Recipients counted by quotas on the day and in the month of `at` (Unix ms), in UTC. */
  quotaUsed(companyId: string, at: number): Promise<{ daily: number; monthly: number }>
}

/** Rare writes about accounts; each raises the version that `watch` looks at. */
export interface AccountStore extends AccountReads {
  addCompany(company: Company): Promise<void>
  /** StoreConflict when there is no such company, or another has the name. */
  updateCompany(id: string, change: CompanyChange): Promise<void>
  /** StoreConflict when there is no such company. */
  setLogo(companyId: string, digest: string, logo: CompanyLogo): Promise<void>
  removeLogo(companyId: string): Promise<void>
  /**
   * Adds a domain. `event` is written to the company's log. StoreConflict when the company has a domain of that name.
   * OverLimit when the company may have no further domain.
   */
  addDomain(domain: SendingDomain, event?: NewCompanyEvent): Promise<void>
  /**
   * Changes a domain. `event` is written to the company's log. StoreConflict when there is no such domain, or it would
   * hold a name that another company holds.
   */
  updateDomain(id: string, change: DomainChange, event?: NewCompanyEvent): Promise<void>
  /**
   * Removes the domain with its DKIM keys and its route; API keys restricted to it are revoked. The store remembers the
   * id of the removed domain if mail may have been accepted from it. `event` is written to the company's log. False
   * when the domain is unknown.
   */
  removeDomain(id: string, at: number, event?: NewCompanyEvent): Promise<boolean>
  /**
   * Adds a key after the existing ones. StoreConflict when there is no such domain, or it has a key with this selector,
   * or if both this key and another one of its algorithm would wait for DNS. OverLimit beyond MAX_DKIM_KEYS.
   */
  addDkimKey(domainId: string, key: DkimIdentity): Promise<void>
  /**
   * Activating a key ends its part in a rotation. False when the key is unknown, or is the last active one and would be
   * deactivated. StoreConflict when the selector is taken.
   */
  updateDkimKey(id: string, change: DkimChange): Promise<boolean>
  /**
   * The key that waits for DNS signs from now on. The active keys of its algorithm stop, and are retiring from `at` on
   * (Unix ms), or retired if DNS lacked their records. False when the key is unknown, or does not wait.
   */
  promoteDkimKey(id: string, at: number): Promise<boolean>
  /**
   * Marks a key as retired from `at` on, if it has been retiring since `since` or longer. False when it has not been.
   */
  retireDkimKey(id: string, since: number, at: number): Promise<boolean>
  /**
   * Queues a key that takes no part in a rotation and signs nothing: from `at` on it waits for DNS, and signs as soon
   * as DNS has its record. False when the key is unknown or not in that state. StoreConflict when another key of its
   * algorithm waits.
   */
  queueDkimKey(id: string, at: number): Promise<boolean>
  /** Ends a key's wait for DNS; the key is kept. False when the key is unknown or does not wait. */
  unqueueDkimKey(id: string): Promise<boolean>
  /**
   * Replaces a key that is retired, or has been retiring since `since` or longer, by a fresh key with the same
   * selector. False when the old key is unknown or not in that state.
   */
  renewDkimKey(id: string, fresh: FreshDkimKey, since: number): Promise<boolean>
  /** False when the key is unknown, or the last active one of its domain. */
  removeDkimKey(id: string): Promise<boolean>
  /** Claims domains that are active, are suspended, or have lost their records. */
  claimDomainChecks(claim: DomainChecksClaim): Promise<DueDomain[]>
  /** Claims domains that wait for their first records. `ofOne`: the most of one company. */
  claimSetupChecks(claim: DomainChecksClaim & { ofOne: number }): Promise<DueDomain[]>
  /** Notes a check, or only that the next one is due earlier. Not a change of accounts. */
  noteDomainCheck(id: string, times: { checkedAt?: number; dueAt: number | null }): Promise<void>
  /** OverLimit when the company may have no further key. */
  addKey(key: ApiKey): Promise<void>
  /** The last uses of these keys, as far as nodes have noted them. */
  lastKeyUses(keyIds: readonly string[]): Promise<KeyUse[]>
  /** Notes uses of keys. Ignores uses of unknown keys, and uses before the last noted one. Not a change of accounts. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>
  /** False when the key is unknown. */
  renameKey(id: string, name: string): Promise<boolean>
  revokeKey(id: string, at: number): Promise<boolean>
  /**
   * Adds the successor of a key, which expires at `endsAt` (Unix ms) unless it expires earlier. False when the key is
   * unknown, revoked, or has expired at `successor.createdAt`. OverLimit as in `addKey`.
   */
  replaceKey(id: string, successor: ApiKey, endsAt: number): Promise<boolean>
  /**
   * Forgets domains removed, and keys revoked, before `before` (Unix ms), at most `limit` of each. Returns how many.
   */
  forgetAccounts(before: number, limit: number): Promise<number>
  /** Replaces the route of the company, or of its domain. StoreConflict when the domain is not the company's. */
  setRoute(route: CustomRoute): Promise<void>
  /** False when there is no route. */
  removeRoute(scope: RouteScope): Promise<boolean>
  /** Adds a pool, or replaces the addresses of the one with this name. */
  setSourcePool(pool: SourcePool): Promise<void>
  /**
   * Counts messages before they are sent, as far as the limit of the day leaves room, so that all nodes together do not
   * exceed it. `day`: days since 1970, in UTC. Answers in the order of the requests.
   */
  takeWarmUp(day: number, wanted: readonly WarmUpRequest[]): Promise<WarmUpPart[]>
  /** Adds to the messages of a day, or takes back (below 0) those that were not sent. */
  countWarmUp(day: number, counts: readonly WarmUpCount[]): Promise<void>
  /** False when there is no such pool. */
  removeSourcePool(name: string): Promise<boolean>
}
