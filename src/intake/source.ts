import { isIP } from 'node:net'
import { DEFAULT_POOL, type SendingDomain } from '../accounts/account.ts'
import type { AccountDirectory } from '../accounts/directory.ts'
import { invalidField } from './refusal.ts'
import type { RequestedSource } from './submission.ts'

/**
 * Throws a Refusal unless mail of the domain may leave from this source: a pool that is assigned to the company or one
 * of its domains, or an address of such a pool. A company without pools may use the pool `default`, its addresses,
 * and the addresses of `free` that are in no pool.
 */
export function assertSource(
  directory: Pick<AccountDirectory, 'pools' | 'poolsOf'>,
  { companyId }: SendingDomain,
  { name, field }: RequestedSource,
  free: readonly string[],
): void {
  const assigned = directory.poolsOf(companyId)
  const own = assigned.size === 0 ? new Set([DEFAULT_POOL]) : assigned
  const pools = directory.pools()
  if (isIP(name) === 0) {
    if (own.has(name) && pools.some((pool) => pool.name === name)) return
    throw invalidField(field, `no pool "${name}" is assigned to this company`)
  }
  const holding = pools.filter(({ addresses }) => addresses.includes(name))
  if (holding.some((pool) => own.has(pool.name))) return
  if (assigned.size === 0 && holding.length === 0 && free.includes(name)) return
  throw invalidField(field, `mail of this company does not leave from ${name}`)
}
