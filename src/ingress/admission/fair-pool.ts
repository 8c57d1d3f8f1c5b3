import { SharedPool } from '../../common/shared-pool.ts'

/** The part of the whole that is kept for parties that have nothing yet. */
export const KEPT = 1 / 10

/** A single party may take about three quarters of the pool. */
export function fairPool(size: number): SharedPool {
  return new SharedPool({ size, kept: Math.ceil(size * KEPT), timesFree: 3 })
}
