/** The source addresses of a pool, on all machines together: a single machine may have only some of them. */
import { DEFAULT_POOL, type SourcePool } from './account.ts'

interface PoolChoice {
  pools: readonly SourcePool[]
  /** All addresses of POSTROAD_SOURCE_ADDRESSES. */
  all: readonly string[]
}

/**
 * `wanted`: the name of the assigned pool; null: none is assigned, and the result is the addresses of the pool
 * `default`; without that pool, those in no pool; when every address is in a pool, `all` itself, which callers
 * recognize by identity. Returns undefined for a pool that does not exist.
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
