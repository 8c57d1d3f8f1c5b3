/** Addresses that a company does not want mail sent to any more, and those that bounces do not put among them. */
import type { AllowEntry, Suppression, SuppressionType } from '../email/suppression.ts'

/** What is absent narrows nothing. */
export interface SuppressionFilter {
  companyId?: string
  types?: readonly SuppressionType[]
  /** This address only. */
  address?: string
  /** Those that came from this sending domain only. */
  domainId?: string
  /** Ids of suppressions: only older, or only newer ones. With `before` the nearest newer ones. */
  after?: string
  before?: string
  limit: number
}

/** A page of something that is in the order of its addresses (as they are compared). */
export interface AddressPage {
  companyId: string
  /** Only those that begin with it. */
  term?: string
  /** Only those behind, or only those before it, which need not be there. With `before` the nearest ones. */
  after?: string
  before?: string
  limit: number
}

/** Those of one type, each address once. */
export interface SuppressedPage extends AddressPage {
  type: SuppressionType
  /** Those that came from this sending domain only. */
  domainId?: string
}

/** Which are removed. */
export interface SuppressionScope {
  companyId: string
  /** Absent: every address. */
  address?: string
  /** Absent: all types. */
  types?: readonly SuppressionType[]
  /** Those that came from this sending domain only. */
  domainId?: string
}

export interface SuppressionStore {
  /** Newest first, whether `before` is given or not. */
  listSuppressions(filter: SuppressionFilter): Promise<Suppression[]>
  /** By address, whether `before` is given or not. */
  suppressedPage(page: SuppressedPage): Promise<Suppression[]>
  /** By its id; null when there is none, or it is another company's. */
  findSuppression(companyId: string, id: string): Promise<Suppression | null>
  /**
   * All or none, in one commit; the caller gives the ids (`idAt`). For each whether it was put on the list: false when
   * the address is there for this type already. Then what is there stays as it is, but an unsubscription takes in
   * further tags. One list has at most 1,000, all of companies that exist.
   */
  addSuppressions(list: readonly Suppression[]): Promise<boolean[]>
  /** How many were removed; in bounded steps. */
  removeSuppressions(scope: SuppressionScope): Promise<number>
  /** Mail with the tag goes to the address again; false when it was not unsubscribed from this tag by name. */
  removeUnsubscribedTag(companyId: string, address: string, tag: string): Promise<boolean>
  /**
   * What `record` and `addSuppressions` of any node have added since the answer that had this cursor; with null
   * nothing, only the cursor. Cheap: costs nothing for what was added before. Nothing may be missed, whatever order
   * commits come in.
   */
  suppressionsSince(cursor: string | null): Promise<NewSuppressions>
  /** By value, whether `before` is given or not. */
  allowedPage(page: AddressPage): Promise<AllowEntry[]>
  findAllowed(companyId: string, value: string): Promise<AllowEntry | null>
  /** As `addSuppressions`. What is suppressed stays so. */
  addAllowed(list: readonly AllowEntry[]): Promise<boolean[]>
  /** How many were removed. `value` absent: all of them. */
  removeAllowed(scope: { companyId: string; value?: string }): Promise<number>
}

/**
 * Addresses put on suppression lists, in no order. What was told before may be told again; what was removed since is
 * not.
 */
export interface NewSuppressions {
  /** For the next question. Only the store reads anything out of it. */
  cursor: string
  added: { companyId: string; address: string }[]
}
