/** Searches for emails, in one company or in everything that the caller may see. */

import type { EmailFilter, EmailSummary } from '../email/stored-email.ts'
import { type EmailRange, type FoundEmails, findEmails, type SearchedTexts } from '../events/find-emails.ts'
import type { WordExcerpt } from '../events/word-match.ts'
import { type EmailStatuses, statusFilter, statusSearch } from './email-statuses.ts'
import {
  type CompanyFilter,
  companyScope,
  findCompany,
  findDomain,
  findKeyByName,
  findOwnDomain,
} from './find.ts'
import type { Operation } from './verb.ts'
import { wordSearches } from './word-searches.ts'

type SearchFields = Omit<EmailFilter, 'companyId' | 'domainId' | 'keyId'>

/** Absent filters do not narrow the search. */
export type EmailSearch = CompanyFilter & {
  [Name in keyof SearchFields]?: SearchFields[Name] | undefined
} & {
  /** The status, as its word in lists, is one of these; `waiting`: it is not at an end, whatever the word. */
  statuses?: EmailStatuses | undefined
  /** Sending domain: name or id. */
  domain?: string | undefined
  /** API key: id, or name. */
  key?: string | undefined
}

/**
 * The most steps of a search that finds too little. When no list serves the filter, each step examines a few thousand
 * emails.
 */
const STEPS = 5

/** Returns a page, which may have fewer emails than requested although more follow: see FoundEmails. */
export async function readEmailPage(
  op: Operation,
  search: EmailSearch,
  { limit, olderThan, newerThan }: EmailRange,
): Promise<FoundEmails> {
  const filter = filterOf(op, search)
  const { statuses } = search
  const searches = {
    ...wordSearches(op),
    statuses: statuses === undefined ? null : statusSearch(op, statuses),
  }
  const forward = newerThan !== undefined && olderThan === undefined
  const found: EmailSummary[] = []
  const words = new Map<string, WordExcerpt>()
  let searched: SearchedTexts | null = null
  let range: EmailRange = {
    limit,
    ...(olderThan !== undefined && { olderThan }),
    ...(newerThan !== undefined && { newerThan }),
  }
  for (let steps = 1; ; steps++) {
    const find = () => findEmails(op.store, filter, range, searches)
    const { emails, complete, next, ...page } = await op.inTurn(filter.companyId, find)
    for (const [id, where] of page.words) words.set(id, where)
    searched ??= page.texts
    if (forward) found.unshift(...emails)
    else found.push(...emails)
    if (next === null || found.length >= limit || steps === STEPS)
      return { emails: found, complete, next, words, texts: searched }
    range = { ...range, limit: limit - found.length, [forward ? 'newerThan' : 'olderThan']: next }
  }
}

/** The most emails that are counted. */
const MAX_COUNTED = 1_000

export interface EmailCount {
  count: number
  /** True: there are more matches, or may be, because not all emails were examined. */
  more: boolean
}

/** Counts the matches, in as many steps as a page has. */
export async function countEmailMatches(op: Operation, search: EmailSearch): Promise<EmailCount> {
  const { emails, next } = await readEmailPage(op, search, { limit: MAX_COUNTED })
  return { count: emails.length, more: next !== null }
}

/** Newest first, however sparse the matches. `before`: id of an email. */
export async function readAllEmails(
  op: Operation,
  search: EmailSearch,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<EmailSummary[]> {
  const found: EmailSummary[] = []
  let next = before ?? null
  do {
    const range = { limit: limit - found.length, ...(next !== null && { olderThan: next }) }
    const page = await readEmailPage(op, search, range)
    found.push(...page.emails)
    next = page.next
  } while (next !== null && found.length < limit)
  return found
}

function filterOf(op: Operation, { company, domain, key, statuses, ...search }: EmailSearch): EmailFilter {
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
  const scope = companyScope(op, { company })
  const sending = domain === undefined ? null : domainOf(op, scope, domain)
  const companyId = sending?.companyId ?? scope
  const used = key === undefined ? null : findKeyByName(op, companyId, key)
  return {
    ...(statuses !== undefined && statusFilter(statuses)),
    ...given,
    companyId: used?.companyId ?? companyId,
    ...(sending !== null && { domainId: sending.id }),
    ...(used !== null && { keyId: used.id }),
  }
}

function domainOf(op: Operation, companyId: string | null, text: string) {
  return companyId === null ? findDomain(op, text) : findOwnDomain(op, findCompany(op, companyId), text)
}
