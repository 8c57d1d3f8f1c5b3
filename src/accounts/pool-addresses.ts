/** The addresses that mail of a pool leaves from, whichever of them a machine has. */
import { DEFAULT_POOL, type SourcePool } from './account.ts'

interface PoolChoice {
  pools: readonly SourcePool[]
  /** All addresses of POSTROAD_SOURCE_ADDRESSES. */
  all: readonly string[]
}

/**
 * `wanted`: the name of the assigned pool; null: none is assigned, and the addresses are those of the pool `default`,
 * or else those in no pool. Returns undefined for a pool that does not exist.
 */
export function poolAddresses(
  { pools, all }: PoolChoice,
  wanted: string | null,
): readonly string[] | undefined {
  const pool = pools.find(({ name }) => name === (wanted ?? DEFAULT_POOL))
  if (pool !== undefined || wanted !== null) return pool?.addresses
  const assigned = new Set(pools.flatMap(({ addresses }) => addresses))
  const free = all.filter((address) => !assigned.has(address))
  // A pool with the last free address takes nothing away from other mail.
  return free.length === 0 ? all : free
}
