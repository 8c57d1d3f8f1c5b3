/** Pools with no address that mail can leave from. */
import { DEFAULT_POOL, type SourcePool } from '../accounts/account.ts'
import { type AddressesInService, addressesInService } from './addresses-in-service.ts'
import { type PoolUsers, usersOf } from './pool-users.ts'
import { sourcesInService } from './shared-closures.ts'
import type { Operation } from './verb.ts'

export interface UnusablePool extends PoolUsers {
  name: string
  /** Mail without an assigned pool leaves from it. */
  takesOtherMail: boolean
  /** As a sentence without a final dot. */
  why: string
}

/** Only pools that some mail has to leave from. */
export async function unusablePools(op: Operation): Promise<UnusablePool[]> {
  const { pools } = op.accounts
  if (pools.length === 0) return []
  const service = await presentService(op)
  return pools.flatMap((pool) => {
    const why = problemOf(service, pool)
    if (why === null) return []
    const { name } = pool
    const takesOtherMail = name === DEFAULT_POOL
    const { companies, domains } = usersOf(op, pool)
    const isUsed = takesOtherMail || companies.length > 0 || domains.length > 0
    return isUsed ? [{ name, companies, domains, takesOtherMail, why }] : []
  })
}

/** Why no mail can leave from the pool, as a sentence without a final dot; null: it can, or needs no source address. */
export async function poolProblem(op: Operation, pool: SourcePool): Promise<string | null> {
  if (op.setup.delivery.kind !== 'direct') return null
  return problemOf(await presentService(op), pool)
}

function problemOf(service: AddressesInService, { addresses }: SourcePool): string | null {
  return addresses.some((address) => service.isHere(address)) ? null : service.whyNone(addresses)
}

async function presentService(op: Operation): Promise<AddressesInService> {
  return await addressesInService(op, sourcesInService(await op.store.nodes()))
}
