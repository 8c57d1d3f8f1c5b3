/** Source addresses that carry the mail of one company alone. */
import { type AccountsSnapshot, DEFAULT_POOL } from '../accounts/account.ts'
import type { Source } from '../delivery/path/source.ts'

/** Whether every pool with an address of the source is assigned to the company and to nobody else. */
export function isOwnSource(
  { pools, companies, domains }: AccountsSnapshot,
  companyId: string | null,
  { addresses }: Source,
): boolean {
  const of = [addresses?.ipv4 ?? [], addresses?.ipv6 ?? []].flat()
  const having = pools.filter((pool) => pool.addresses.some((address) => of.includes(address)))
  const isOwn = (name: string) => {
    const users = [
      ...companies.filter(({ pool }) => pool === name).map(({ id }) => id),
      ...domains.filter(({ settings }) => settings.pool === name).map((domain) => domain.companyId),
    ]
    return name !== DEFAULT_POOL && users.length > 0 && users.every((id) => id === companyId)
  }
  return having.length > 0 && having.every(({ name }) => isOwn(name))
}
