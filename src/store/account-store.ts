/** Companies, sending domains and API keys. */
import type {
  AccountsChange,
  AccountsSnapshot,
  ApiKey,
  Company,
  CompanyLimits,
  DkimIdentity,
  Route,
  SendingDomain,
} from '../accounts/account.ts'

/** Whose route: a company's (`domainId` null) or that of one of its domains. */
export type RouteScope = Pick<Route, 'companyId' | 'domainId'>

/** Of a sending domain; what is absent stays as it is. */
export interface DomainChange
  extends Partial<Pick<SendingDomain, 'status' | 'sending' | 'speaksFor' | 'settings' | 'seen'>> {
  /**
   * Its company has shown that it is hers: where it was inactive it is active, and where it is suspended it stays so.
   */
  proven?: true
}

/** Of a DKIM key; what is absent stays as it is. */
export type DkimChange = Partial<Pick<DkimIdentity, 'active' | 'selector'>>

export interface AccountReads {
  accounts(): Promise<AccountsSnapshot>
  /** The version that every change raises: another number after it. Costs the same however many accounts there are. */
  accountsVersion(): Promise<number>
  /** What has changed since that version. Null: too long ago to tell, everything is to be read. */
  accountsSince(version: number): Promise<AccountsChange | null>
  /** As it is now; null: there is none with the id. */
  findDomain(id: string): Promise<SendingDomain | null>
  /** Recipients that quotas have counted on the day and in the month of `at` (Unix ms), in UTC. */
  quotaUsed(companyId: string, at: number): Promise<{ daily: number; monthly: number }>
}

/** Rare writes about accounts; each bumps the version that `watch` looks at. */
export interface AccountStore extends AccountReads {
  addCompany(company: Company): Promise<void>
  /** Those named are changed. StoreConflict when there is no such company. */
  updateCompany(id: string, change: { limits: Partial<CompanyLimits> }): Promise<void>
  /** StoreConflict when the company has one of the name. OverLimit: it has as many as it may have. */
  addDomain(domain: SendingDomain): Promise<void>
  /** StoreConflict when there is no such domain, or the name comes to be held that another company holds. */
  updateDomain(id: string, change: DomainChange): Promise<void>
  /**
   * With its DKIM keys and its route; API keys for it alone are revoked. Its id stays known as removed where mail may
   * have been accepted from it. False when it is unknown.
   */
  removeDomain(id: string, at: number): Promise<boolean>
  /**
   * After those it has. StoreConflict when there is no such domain, or it has a key of this selector. OverLimit:
   * MOST_DKIM_KEYS.
   */
  addDkimKey(domainId: string, key: DkimIdentity): Promise<void>
  /**
   * False when it is unknown, or is the last active one and would be no more. StoreConflict when the selector is taken.
   */
  updateDkimKey(id: string, change: DkimChange): Promise<boolean>
  /** False when it is unknown, or the last active one of its domain. */
  removeDkimKey(id: string): Promise<boolean>
  /** OverLimit: the company has as many as it may have. */
  addKey(key: ApiKey): Promise<void>
  /** False when it is unknown. */
  renameKey(id: string, name: string): Promise<boolean>
  revokeKey(id: string, at: number): Promise<boolean>
  /**
   * Domains removed, and keys revoked, before `before` (Unix ms) are known no more: at most `limit` of each. How many
   * they were.
   */
  forgetAccounts(before: number, limit: number): Promise<number>
  /** Instead of the one that the company, or its domain, has. StoreConflict when the domain is not the company's. */
  setRoute(route: Route): Promise<void>
  /** False when there is none. */
  removeRoute(scope: RouteScope): Promise<boolean>
}
