/** Suppressions: addresses that a company no longer sends to. */

import type { Company } from '../accounts/account.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import { SUPPRESSION_TYPES, type Suppression, type SuppressionType } from '../email/suppression.ts'
import { addressesAudit, severalNote } from './audit-trail.ts'
import { type AddressesOutcome, inBatch } from './batch.ts'
import { type About, type Hint, OperateError } from './error.ts'
import { type CompanyFilter, findCompany, findDomain, findOwnDomain } from './find.ts'
import { checkedSuppression, type SuppressionInput } from './suppression-check.ts'
import { type Operation, verb } from './verb.ts'

/** Entries added to a list in one commit. */
export const ENTRIES_PER_COMMIT = 500

export interface SuppressionListing extends CompanyFilter {
  /** Name or id of a sending domain: only its list. Without a company, that of the company that has the domain. */
  domain?: string | undefined
  address?: string | undefined
  types?: readonly SuppressionType[] | undefined
  /** Ids: only older, or only newer ones. */
  after?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first. */
export const listSuppressions = verb(
  'see',
  async (
    op,
    { company, domain, address, types, after, before, limit }: SuppressionListing,
  ): Promise<Suppression[]> => {
    const whose = listingScope(op, company, domain)
    return await op.store.listSuppressions({
      ...whose,
      limit,
      ...(address !== undefined && { address }),
      ...(types !== undefined && { types }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
    })
  },
)

export interface SuppressionPageRequest {
  company: string
  /** Name or id of a sending domain of the company: only its list. */
  domain?: string | undefined
  /** Only entries that begin with this text. */
  term?: string | undefined
  /** Only entries after this one, or only those before it. */
  after?: string | undefined
  before?: string | undefined
  limit: number
}

/** A page of the suppressions of one type, sorted by address. */
export const suppressedPage = verb(
  'see',
  async (
    op,
    { company, domain, type, ...page }: SuppressionPageRequest & { type: SuppressionType },
  ): Promise<Suppression[]> => {
    return await op.store.suppressedPage({ ...listScope(op, company, domain), type, ...pageBoundsOf(page) })
  },
)

export interface AddressPageRequest extends SuppressionPageRequest {
  /** Absent: all types. */
  types?: readonly SuppressionType[] | undefined
}

/**
 * Sorted by address, and each address with all of its types: a page may therefore have a few more entries than its
 * limit.
 */
export const suppressedAddresses = verb(
  'see',
  async (
    op,
    { company, domain, types = SUPPRESSION_TYPES, ...page }: AddressPageRequest,
  ): Promise<Suppression[]> => {
    const scope = listScope(op, company, domain)
    const ofTypes = await Promise.all(
      types.map((type) => op.store.suppressedPage({ ...scope, type, ...pageBoundsOf(page) })),
    )
    const all = ofTypes.flat().sort(byAddress)
    const { before, limit } = page
    const last = before === undefined ? all[limit - 1] : all.at(-limit)
    if (last === undefined) return all
    return all.filter((each) => {
      const place = compareAddresses(each, last)
      return before === undefined ? place <= 0 : place >= 0
    })
  },
)

function byAddress(one: Suppression, other: Suppression): number {
  return compareAddresses(one, other) || compareTypes(one, other)
}

/** Sorts by type. Within a type, the company's own suppression comes before those of its domains. */
function compareTypes(one: Suppression, other: Suppression): number {
  const keyOf = ({ type, domainId }: Suppression) => `${type} ${domainId ?? ''}`
  return keyOf(one) < keyOf(other) ? -1 : 1
}

/** The order that both databases use. */
function compareAddresses(one: Suppression, other: Suppression): number {
  const octets = ({ address }: Suppression) => Buffer.from(foldedAscii(address))
  return Buffer.compare(octets(one), octets(other))
}

/** Counting stops here. */
const MAX_COUNTED = 10_000

export interface SuppressionTotal {
  count: number
  /** There are more than `count`. */
  more: boolean
}

/** The number of entries. An address is an entry for each of its types. */
export const countSuppressions = verb(
  'see',
  async (
    op,
    {
      company,
      domain,
      types = SUPPRESSION_TYPES,
      term,
    }: Omit<AddressPageRequest, 'after' | 'before' | 'limit'>,
  ): Promise<SuppressionTotal> => {
    const range = {
      ...listScope(op, company, domain),
      types,
      most: MAX_COUNTED + 1,
      ...(term !== undefined && { term }),
    }
    const counted = await op.store.countSuppressions(range)
    return { count: Math.min(counted, MAX_COUNTED), more: counted > MAX_COUNTED }
  },
)

/** Finds a suppression by id or by address. An address with several types yields the first type. */
export const findSuppression = verb(
  'see',
  async (
    op,
    {
      company,
      domain,
      of,
      types,
    }: { company: string; domain?: string; of: string; types?: readonly SuppressionType[] },
  ): Promise<Suppression> => {
    const scope = listScope(op, company, domain)
    const found = of.includes('@')
      ? await firstOf(op, scope, of, types)
      : await op.store.findSuppression(scope.companyId, of)
    if (found !== undefined && found !== null && isWithin(found, scope)) return found
    throw notOnList(op, company, of)
  },
)

export interface AddedSuppression {
  /** The entry as requested. */
  suppression: Suppression
  /** False: the address was on the list for this type already. */
  added: boolean
}

export interface SuppressionsInput {
  company: string
  entries: readonly SuppressionInput[]
  /**
   * Name or id of the sending domain whose list gets the entries that name none; absent: that of the caller's key, if
   * the key is for one domain, else that of the company.
   */
  domain?: string | undefined
}

/** Waiting mail for these addresses ends as suppressed. Unless all entries are valid, none is added. */
export const addSuppressions = verb(
  'manage',
  async (op, { company, domain, entries }: SuppressionsInput): Promise<AddedSuppression[]> => {
    const { companyId, domainId = null } = listScope(op, company, domain)
    const all = entries.map((entry) => checkedSuppression(entry, companyId, domainId, op.now()))
    const added: boolean[] = []
    for (let at = 0; at < all.length; at += ENTRIES_PER_COMMIT) {
      added.push(...(await op.store.addSuppressions(all.slice(at, at + ENTRIES_PER_COMMIT))))
    }
    return all.map((suppression, index) => ({ suppression, added: added[index]! }))
  },
  {
    action: 'addSuppressions',
    unlessByKey: true,
    note({ entries }, result) {
      const addresses = result?.filter(({ added }) => added).map(({ suppression }) => suppression.address)
      if (addresses?.length === 0) return null
      return severalNote(addresses ?? entries.map(({ address }) => address))
    },
  },
)

/**
 * Adds one entry. The address must not be on the list for this type, unless the entry is an unsubscription from further
 * tags.
 */
export const addSuppression = verb(
  'manage',
  async (
    op,
    { company, domain, ...entry }: SuppressionInput & Pick<SuppressionsInput, 'company' | 'domain'>,
  ): Promise<Suppression> => {
    const [result] = await addSuppressions(op, { company, domain, entries: [entry] })
    const { suppression, added } = result!
    if (added || suppression.tags !== null) return suppression
    const { name } = findCompany(op, company)
    throw new OperateError(
      'already_exists',
      `"${suppression.address}" is already on the suppression list of ${name}`,
    )
  },
  {
    action: 'addSuppression',
    unlessByKey: true,
    note: ({ address, type, tags, domain }) => ({ target: address, detail: { type, tags, domain } }),
  },
)

export interface SuppressedAddress {
  /** The address as it stands in the envelope. */
  address: string
  company: Company
}

export interface RemovedAddress extends SuppressedAddress {
  /** The number of types removed. */
  removed: number
}

export const removeSuppression = verb(
  'manage',
  async (
    op,
    {
      company: text,
      domain,
      address,
      types,
    }: {
      company: string
      /** Name or id of a sending domain: only from its list. */
      domain?: string | undefined
      address: string
      types?: readonly SuppressionType[] | undefined
    },
  ): Promise<RemovedAddress> => {
    const company = findCompany(op, text)
    const scope = { ...listScope(op, text, domain), address, ...(types !== undefined && { types }) }
    const removed = await op.store.removeSuppressions(scope)
    if (removed > 0) return { address, company, removed }
    throw notOnList(op, text, address)
  },
  {
    action: 'removeSuppression',
    unlessByKey: true,
    note: ({ address, types, domain }) => ({ target: address, detail: { types, domain } }),
  },
)

/** Removes one entry by id, and returns it. */
export const removeSuppressionEntry = verb(
  'manage',
  async (op, { company, id }: { company: string; id: string }): Promise<Suppression> => {
    const found = await findSuppression(op, { company, of: id })
    if (await op.store.removeSuppression(found.companyId, id)) return found
    throw notOnList(op, company, id)
  },
  {
    action: 'removeSuppressionEntry',
    unlessByKey: true,
    note({ id }, found) {
      return found === null
        ? { target: id, detail: {} }
        : { target: found.address, detail: { types: [found.type] } }
    },
  },
)

/** Removes entries by id. */
export const removeSuppressions = verb(
  'manage',
  async (op, { company, ids }: { company: string; ids: readonly string[] }): Promise<AddressesOutcome> => {
    findCompany(op, company)
    const addresses: string[] = []
    const result = await inBatch(ids, async (of) => {
      const { address } = await removeSuppressionEntry(op, { company, id: of })
      addresses.push(address)
    })
    return { ...result, addresses }
  },
  addressesAudit('removeSuppressions', ({ ids }: { ids: readonly string[] }) => ids.length),
)

/** Mail with the tag goes to the address again. */
export const removeUnsubscribedTag = verb(
  'manage',
  async (op, input: { company: string; domain?: string; address: string; tag: string }): Promise<void> => {
    const { company, domain, address, tag } = input
    const { companyId, domainId = null } = listScope(op, company, domain)
    if (await op.store.removeUnsubscribedTag(companyId, domainId, address, tag)) return
    throw notOnList(op, company, address)
  },
  {
    action: 'removeUnsubscribedTag',
    unlessByKey: true,
    note: ({ address, tag }) => ({ target: address, detail: { tag } }),
  },
)

/** Removes all entries of these types, of the whole company or of one domain's list. Returns their number. */
export const clearSuppressions = verb(
  'manage',
  async (
    op,
    { company, domain, types }: { company: string; domain?: string; types: readonly SuppressionType[] },
  ): Promise<number> => {
    return await op.store.removeSuppressions({ ...listScope(op, company, domain), types })
  },
  {
    action: 'clearSuppressions',
    unlessByKey: true,
    note({ types }, removed) {
      return removed === 0 ? null : { target: types.join(', '), detail: { ...(removed && { removed }) } }
    },
  },
)

/**
 * The requested lists of one company that the caller may see. A key for one domain sees only the list of that domain.
 */
interface EntryScope {
  companyId: string
  domainId?: string
}

/** `domain`: name or id of a sending domain of the company; absent: all lists. */
export function listScope(op: Operation, company: string, domain?: string): EntryScope {
  const of = findCompany(op, company)
  if (domain === undefined) return { companyId: of.id, ...ofDomain(op) }
  return { companyId: of.id, domainId: findOwnDomain(op, of, domain).id }
}

/** Without a company: the lists of all companies, which only operators see. */
function listingScope(
  op: Operation,
  company: string | undefined,
  domain: string | undefined,
): Partial<EntryScope> {
  if (company !== undefined) return listScope(op, company, domain)
  if (op.caller.kind !== 'operator') return listScope(op, op.caller.principal.companyId, domain)
  return domain === undefined ? {} : listScope(op, findDomain(op, domain).companyId, domain)
}

function ofDomain({ caller }: Operation): { domainId?: string } {
  const domainId = caller.kind === 'operator' ? null : caller.principal.domainId
  return domainId === null ? {} : { domainId }
}

function isWithin({ domainId }: Suppression, scope: EntryScope): boolean {
  return scope.domainId === undefined || domainId === scope.domainId
}

async function firstOf(
  op: Operation,
  scope: EntryScope,
  address: string,
  types: readonly SuppressionType[] = SUPPRESSION_TYPES,
): Promise<Suppression | undefined> {
  const found = await op.store.listSuppressions({ ...scope, address, types, limit: Number.MAX_SAFE_INTEGER })
  return found.sort(compareTypes)[0]
}

/** The bounds of a page that are given. */
export function pageBoundsOf({
  term,
  after,
  before,
  limit,
}: Omit<SuppressionPageRequest, 'company' | 'domain'>) {
  return {
    limit,
    ...(term !== undefined && { term }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  }
}

function notOnList(op: Operation, company: string, what: string): OperateError {
  const { id, name } = findCompany(op, company)
  const hint: Hint = { verb: 'listSuppressions', company: id }
  const about: About = { noun: 'suppression', name: what }
  return new OperateError('not_found', `"${what}" is not on the suppression list of ${name}`, hint, { about })
}
