import type { AccountsSnapshot, SourcePool } from '../accounts/account.ts'
import { visibleAccounts } from './authority.ts'
import type { Operation } from './verb.ts'

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

/** Names of the companies and domains that a pool is assigned to. */
export interface PoolUsers {
  companies: string[]
  domains: string[]
}

/** Only companies and domains that the caller may see. */
export function usersOf(op: Operation, { name: pool }: Pick<SourcePool, 'name'>): PoolUsers {
  const { companies, domains } = visibleAccounts(op)
  return {
    companies: companies.filter((company) => company.pool === pool).map(({ name }) => name),
    domains: domains.filter(({ settings }) => settings.pool === pool).map(({ name }) => name),
  }
}
