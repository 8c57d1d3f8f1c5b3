/** Emails that somebody looks for: of one company, or of all that the caller knows of. */
import type { EmailFilter, EmailSummary } from '../email/stored-email.ts'
import { findEmails } from '../events/find-emails.ts'
import { visibleAccounts } from './authority.ts'
import { companyScope, findCompany, findDomain, findOwnDomain, type OfCompany } from './find.ts'
import type { Operation } from './verb.ts'

type Asked = Omit<EmailFilter, 'companyId' | 'domainId'>

/** What is absent narrows nothing. */
export type EmailSearch = OfCompany & { [Name in keyof Asked]?: Asked[Name] | undefined } & {
  /** Sending domain: name or id. */
  domain?: string | undefined
}

/** Newest first. `before`: id of an email. */
export async function searchEmails(
  op: Operation,
  search: EmailSearch,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<EmailSummary[]> {
  const found: EmailSummary[] = []
  for (const filter of filtersOf(op, search)) found.push(...(await foundIn(op, filter, before, limit)))
  const placed = await Promise.all(
    found.map(async (email) => ({ email, place: await op.store.emailPlace(email.id) })),
  )
  return placed
    .sort((a, b) => b.place - a.place)
    .slice(0, limit)
    .map(({ email }) => email)
}

/** One for each company that is meant. */
function filtersOf(op: Operation, { company, domain: text, ...search }: EmailSearch): EmailFilter[] {
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
  const companyId = companyScope(op, { company })
  if (text !== undefined) {
    const domain =
      companyId === null ? findDomain(op, text) : findOwnDomain(op, findCompany(op, companyId), text)
    return [{ ...given, companyId: domain.companyId, domainId: domain.id }]
  }
  const ids = companyId === null ? visibleAccounts(op).companies.map(({ id }) => id) : [companyId]
  return ids.map((id) => ({ ...given, companyId: id }))
}

async function foundIn(
  { store }: Operation,
  filter: EmailFilter,
  before: string | undefined,
  limit: number,
): Promise<EmailSummary[]> {
  const found: EmailSummary[] = []
  let from = before
  for (;;) {
    const range = { limit: limit - found.length, ...(from !== undefined && { olderThan: from }) }
    const { emails, next } = await findEmails(store, filter, range)
    found.push(...emails)
    // What no index serves is looked for among some thousand emails at a time.
    if (next === null || found.length === limit) return found
    from = next
  }
}
