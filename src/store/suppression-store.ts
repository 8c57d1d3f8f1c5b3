/**
 * Suppression lists: addresses that a company's mail no longer goes to; and allow lists: addresses that bounces do not
 * suppress.
 */
import type { AllowEntry, Suppression, SuppressionType } from '../email/suppression.ts'

/** Absent fields do not restrict. */
export interface SuppressionFilter {
  companyId?: string
  types?: readonly SuppressionType[]
  /** Only this address. */
  address?: string
  /** Only the list of this sending domain. */
  domainId?: string
  /**
   * Ids of suppressions: only those older than `after`, or only those newer than `before`. With `before`, the page has
   * the nearest newer ones.
   */
  after?: string
  before?: string
  limit: number
}

/** A page of a list in the order of its addresses (folded). */
interface AddressPage {
  companyId: string
  /** Only the list of this sending domain. */
  domainId?: string
  /** Only addresses that begin with it. */
  term?: string
  /**
   * Only addresses after `after`, or before `before`, which need not exist. With `before`, the page has the nearest
   * ones.
   */
  after?: string
  before?: string
  limit: number
}

/**
 * Suppressions of one type. Without `domainId`, an address may have several. A page never splits them, so it may be a
 * little longer than its limit.
 */
export interface SuppressedPage extends AddressPage {
  type: SuppressionType
}

/** Suppressions to count. */
interface SuppressionCount {
  companyId: string
  types: readonly SuppressionType[]
  /** Only addresses that begin with it. */
  term?: string
  /** Only the list of this sending domain. */
  domainId?: string
  /** Counting stops at this number, which bounds its cost on long lists. */
  most: number
}

/** The suppressions to remove. */
interface SuppressionScope {
  companyId: string
  /** Absent: every address. */
  address?: string
  /** Absent: all types. */
  types?: readonly SuppressionType[]
  /** Only the list of this sending domain. */
  domainId?: string
}

export interface SuppressionStore {
  /** Newest first, whether `before` is given or not. */
  listSuppressions(filter: SuppressionFilter): Promise<Suppression[]>
  /** Sorted by address, whether `before` is given or not. */
  suppressedPage(page: SuppressedPage): Promise<Suppression[]>
  countSuppressions(count: SuppressionCount): Promise<number>
  /** By id; null when there is none, or it belongs to another company. */
  findSuppression(companyId: string, id: string): Promise<Suppression | null>
  /**
   * Adds all or none, in one commit; the caller gives the ids (`idAt`). Returns for each whether it was added: false
   * when the address is already suppressed with this type. The existing suppression then stays, but an unsubscription
   * takes in further tags. One list has at most 1,000 entries, all of existing companies.
   */
  addSuppressions(list: readonly Suppression[]): Promise<boolean[]>
  /** Returns how many were removed; works in bounded steps. */
  removeSuppressions(scope: SuppressionScope): Promise<number>
  /** False: the company has none with this id. */
  removeSuppression(companyId: string, id: string): Promise<boolean>
  /**
   * Moves the lists of the company's removed domains with the same name to the domain with this id, which the company
   * added in their place, so that unsubscribed people stay unsubscribed. Null: does so for every removed domain that
   * its company has added again. Returns how many entries moved; works in bounded steps.
   */
  inheritSuppressions(domainId: string | null): Promise<number>
  /** The id of the domain that the company added in place of this removed one; else the same id. */
  successorOf(domainId: string): Promise<string>
  /**
   * Allows mail with the tag to the address again; false when the address was not unsubscribed from this tag by name.
   * `domainId`: only on the list of this domain; null: on all lists of the company.
   */
  removeUnsubscribedTag(
    companyId: string,
    domainId: string | null,
    address: string,
    tag: string,
  ): Promise<boolean>
  /**
   * Suppressions that `record` and `addSuppressions` have added on any node since the answer with this cursor. With
   * null, returns only a cursor. The cost does not depend on earlier suppressions. None is missed, in whatever order
   * transactions commit.
   */
  suppressionsSince(cursor: string | null): Promise<SuppressionsBatch>
  /** Sorted by value, whether `before` is given or not. */
  allowedPage(page: AddressPage): Promise<AllowEntry[]>
  /** `domainId`: only on the list of this domain; null: on any list of the company. */
  findAllowed(companyId: string, domainId: string | null, value: string): Promise<AllowEntry | null>
  /** Adds entries by the rules of `addSuppressions`. Suppressed addresses stay suppressed. */
  addAllowed(list: readonly AllowEntry[]): Promise<boolean[]>
  /** Returns how many were removed. */
  removeAllowed(scope: AllowListScope): Promise<number>
}

/**
 * Entries of the allow lists of a company. `value` absent: all of them. `domainId`: only on the list of this domain;
 * null: only on that of the company itself.
 */
type AllowListScope =
  | { companyId: string; domainId?: string; value?: undefined }
  | { companyId: string; domainId?: string | null; value: string }

/**
 * Addresses put on suppression lists, in no order. An address may be returned twice; one that was removed since is not
 * returned.
 */
export interface SuppressionsBatch {
  /** For the next call. Only the store interprets it. */
  cursor: string
  added: { companyId: string; address: string }[]
}
