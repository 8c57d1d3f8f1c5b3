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
export type DkimChange = Partial<Pick<DkimIdentity, 'active' | 'selector' | 'activeSince'>>

/** When the service asked DNS for the records of a domain, and when it asks again, in Unix ms. */
export interface DomainCheckTimes {
  /** Null: never. */
  checkedAt: number | null
  dueAt: number
}

/** A domain whose check is due. */
export interface DueDomain {
  id: string
  companyId: string
}

/** A change of a company; absent fields and limits stay as they are. */
export interface CompanyChange {
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
  /** The messages of a day from addresses that are warming up; most first. */
  warmUpCounts(day: number): Promise<WarmUpCount[]>
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
   * With `event`, the company's log tells of it. StoreConflict when the company has a domain of that name. OverLimit
   * when it may have no further domain.
   */
  addDomain(domain: SendingDomain, event?: NewCompanyEvent): Promise<void>
  /**
   * With `event`, the company's log tells of it. StoreConflict when there is no such domain, or it would hold a name
   * that another company holds.
   */
  updateDomain(id: string, change: DomainChange, event?: NewCompanyEvent): Promise<void>
  /**
   * Removes the domain with its DKIM keys and its route; API keys restricted to it are revoked. Its id is remembered as
   * removed when mail may have been accepted from it. With `event`, the company's log tells of it. False when it is
   * unknown.
   */
  removeDomain(id: string, at: number, event?: NewCompanyEvent): Promise<boolean>
  /**
   * Adds a key after the existing ones. StoreConflict when there is no such domain, or it has a key of this selector,
   * or one of this algorithm that waits for DNS as this one does. OverLimit: MOST_DKIM_KEYS.
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
  /** A key that has been retiring since `since` or longer is retired from `at` on. False when it is not so. */
  retireDkimKey(id: string, since: number, at: number): Promise<boolean>
  /**
   * A key that takes no part in a rotation and signs nothing waits for DNS from `at` on, to sign then. False when it is
   * unknown or not so. StoreConflict when another one of its algorithm waits.
   */
  queueDkimKey(id: string, at: number): Promise<boolean>
  /** A key that waits for DNS no longer does, and is kept. False when it is unknown or does not wait. */
  unqueueDkimKey(id: string): Promise<boolean>
  /**
   * A fresh key takes the place and the selector of one that is retired, or has been retiring since `since` or longer.
   * False when that one is unknown or not so.
   */
  renewDkimKey(id: string, fresh: FreshDkimKey, since: number): Promise<boolean>
  /** False when the key is unknown, or the last active one of its domain. */
  removeDkimKey(id: string): Promise<boolean>
  /**
   * Takes domains that may send, or are suspended, and whose check is due at `now`: they are due again at `until`,
   * unless the check is noted before. `except`: the ids of companies of which none is taken.
   */
  claimDomainChecks(claim: {
    now: number
    until: number
    limit: number
    except: readonly string[]
  }): Promise<DueDomain[]>
  /** Notes a check, or only that the next one is due earlier. Not a change of accounts. */
  noteDomainCheck(id: string, times: { checkedAt?: number; dueAt: number }): Promise<void>
  /** OverLimit when the company may have no further key. */
  addKey(key: ApiKey): Promise<void>
  /** The last uses of these keys, as far as nodes have noted them. */
  lastKeyUses(keyIds: readonly string[]): Promise<KeyUse[]>
  /** Uses of unknown keys, and those before the last noted use, are dropped. Not a change of accounts. */
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
  /** Adds to the messages of a day (since 1970, in UTC). */
  countWarmUp(day: number, counts: readonly WarmUpCount[]): Promise<void>
  /** False when there is no such pool. */
  removeSourcePool(name: string): Promise<boolean>
}
