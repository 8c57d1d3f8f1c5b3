import type { AccountsSnapshot } from '../accounts/account.ts'

/** The companies (ids) whose mail leaves from each pool, by name of the pool: of all companies, to count them. */
export function poolUsers({
  companies,
  domains,
}: Pick<AccountsSnapshot, 'companies' | 'domains'>): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>()
  const add = (pool: string | null | undefined, company: string) => {
    if (pool == null) return
    const known = users.get(pool) ?? new Set()
    users.set(pool, known.add(company))
  }
  for (const { id, pool } of companies) add(pool, id)
  for (const { companyId, settings } of domains) add(settings.pool, companyId)
  return users
}
