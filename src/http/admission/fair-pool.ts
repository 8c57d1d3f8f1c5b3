import { SharedPool } from '../../common/shared-pool.ts'

/** This part of everything is kept for those that have nothing yet. */
export const KEPT = 1 / 10

/** Who is alone may take about three quarters of it. */
export function fairPool(size: number): SharedPool {
  return new SharedPool({ size, kept: Math.ceil(size * KEPT), timesFree: 3 })
}
