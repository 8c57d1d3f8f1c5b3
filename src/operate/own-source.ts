/** Source addresses that carry the mail of one company alone. */
import { type AccountsSnapshot, DEFAULT_POOL } from '../accounts/account.ts'
import { addressesOfSource, type Source } from '../delivery/path/source.ts'
import { poolUsers } from './pool-users.ts'

/** Whether every pool with an address of the source is assigned to the company and to nobody else. */
export function isOwnSource(accounts: AccountsSnapshot, companyId: string | null, source: Source): boolean {
  const addresses = addressesOfSource(source)
  const having = accounts.pools.filter((pool) =>
    pool.addresses.some((address) => addresses.includes(address)),
  )
  const users = poolUsers(accounts)
  const isOwn = (name: string) => {
    const companies = [...(users.get(name) ?? [])]
    return name !== DEFAULT_POOL && companies.length > 0 && companies.every((id) => id === companyId)
  }
  return having.length > 0 && having.every(({ name }) => isOwn(name))
}
