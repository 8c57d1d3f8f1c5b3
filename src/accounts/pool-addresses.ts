/** The source addresses of a pool, on all machines together: a single machine may have only some of them. */
import { DEFAULT_POOL, type SourcePool } from './account.ts'

interface PoolChoice {
  pools: readonly SourcePool[]
  /** All addresses of POSTROAD_SOURCE_ADDRESSES. */
  all: readonly string[]
}

/**
 * The addresses of the pool `wanted`; undefined when it does not exist. If `wanted` is null, no pool is assigned: the
 * result is the pool `default`; without that pool, the addresses in no pool; and without such addresses, `all` itself,
 * which callers recognize by identity.
 */
export function poolAddresses(
  { pools, all }: PoolChoice,
  wanted: string | null,
): readonly string[] | undefined {
  const pool = pools.find(({ name }) => name === (wanted ?? DEFAULT_POOL))
  if (pool !== undefined || wanted !== null) return pool?.addresses
  const assigned = new Set(pools.flatMap(({ addresses }) => addresses))
  const free = all.filter((address) => !assigned.has(address))
  // When every address is in a pool, mail without a pool may leave from all of them.
  return free.length === 0 ? all : free
}
