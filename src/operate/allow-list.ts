/** The allow list: addresses and domains that bounces do not add to the suppressions. */
import type { AllowEntry } from '../email/suppression.ts'
import { severalNote } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { addressIn, domainName, findWholeCompany } from './find.ts'
import { reasonOf } from './suppression-check.ts'
import { ENTRIES_PER_COMMIT, listScope, pageBoundsOf, type SuppressionPageRequest } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

/** Sorted by value. */
export const allowedPage = verb(
  'see',
  async (op, { company, domain, ...page }: SuppressionPageRequest): Promise<AllowEntry[]> => {
    return await op.store.allowedPage({ ...allowScope(op, company, domain), ...pageBoundsOf(page) })
  },
)

/** @param input.value an address or a domain */
export const findAllowed = verb(
  'see',
  async (
    op,
    { company, domain, value }: { company: string; domain?: string; value: string },
  ): Promise<AllowEntry> => {
    const { companyId, domainId = null } = allowScope(op, company, domain)
    const found = await op.store.findAllowed(companyId, domainId, allowedValue(value).value)
    if (found !== null) return found
    throw new OperateError('not_found', `"${value}" is not on the allow list`)
  },
)

export interface AllowListInput {
  /** An address or a domain. */
  value: string
  reason?: string | undefined
  /** Unix ms; absent: now. */
  createdAt?: number | undefined
}

export interface AllowListEntries {
  company: string
  /** Name or id of the sending domain whose list gets them; absent: that of the company. */
  domain?: string | undefined
  entries: readonly AllowListInput[]
}

/**
 * Returns, for each entry, whether it is new. Addresses that are suppressed already stay suppressed. Unless all entries
 * are valid, none is added.
 */
export const addAllowed = verb(
  'manage',
  async (op, input: AllowListEntries): Promise<boolean[]> => {
    const { companyId, domainId = null } = allowScope(op, input.company, input.domain)
    const all = input.entries.map(({ value, reason, createdAt = op.now() }): AllowEntry => {
      return {
        companyId,
        domainId,
        ...allowedValue(value),
        reason: reason === undefined ? null : reasonOf(reason),
        createdAt,
      }
    })
    const added: boolean[] = []
    for (let at = 0; at < all.length; at += ENTRIES_PER_COMMIT) {
      added.push(...(await op.store.addAllowed(all.slice(at, at + ENTRIES_PER_COMMIT))))
    }
    return added
  },
  {
    action: 'addAllowed',
    note({ entries }, added) {
      const fresh = entries.filter((_, index) => added?.[index] ?? true)
      return fresh.length === 0 ? null : severalNote(fresh.map(({ value }) => value))
    },
  },
)

/**
 * Returns how many entries were removed, from all lists unless one is named by `domain` or `domainId`. Without a value,
 * removes all of them. `domainId`: the sending domain on whose list the entry is, which may have been removed since;
 * null: the entry is on the list of the company.
 */
export const removeAllowed = verb(
  'manage',
  async (op, { company, domain, domainId, value }: AllowListRemoval): Promise<number> => {
    if (value === undefined) return await op.store.removeAllowed(allowScope(op, company, domain))
    const scope =
      domainId === undefined
        ? allowScope(op, company, domain)
        : { companyId: findWholeCompany(op, company).id, domainId }
    const removed = await op.store.removeAllowed({ ...scope, value: allowedValue(value).value })
    if (removed > 0) return removed
    throw new OperateError('not_found', `"${value}" is not on the allow list`)
  },
  {
    action: 'removeAllowed',
    note({ value, domain, domainId }, removed, { accounts }) {
      if (removed === 0) return null
      const name = domain ?? accounts.domains.find(({ id }) => id === domainId)?.name
      return { target: value ?? 'all', detail: { domain: name } }
    },
  },
)

type AllowListRemoval =
  | { company: string; domain?: string | undefined; domainId?: undefined; value?: string | undefined }
  | { company: string; domain?: undefined; domainId: string | null; value: string }

/** The allow list holds for the whole company, so keys for one domain may not see or change it. */
function allowScope(op: Operation, company: string, domain?: string) {
  return listScope(op, findWholeCompany(op, company).id, domain)
}

export function allowedValue(text: string): Pick<AllowEntry, 'value' | 'kind'> {
  return text.includes('@')
    ? { value: addressIn(text), kind: 'address' }
    : { value: domainName(text), kind: 'domain' }
}
