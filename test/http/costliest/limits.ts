import assert from 'node:assert/strict'
import { freshMemoryDelay, slowness } from '../../../harness/processor-speed.ts'
import { bucketOf, type Stalls } from '../../../harness/service/stalls.ts'

/** Ms of processor time that a turn of the main thread may take at the usual speed of a processor, whatever is asked. */
export const MAX_MS = 50

/** The octets of the largest message: a turn may receive it from one thread and copy it for another. */
const LARGEST = 24_000_000

export interface TurnVerdict {
  isShort: boolean
  /** The turn, its limit, and the speed of the machine that the limit allows for. */
  figures: string
}

/**
 * Judges a turn of `ms` by the present speed of the machine. `stalls`: any of the service, whose buckets round the
 * limit.
 */
export function judgeTurn(ms: number, stalls: Stalls): TurnVerdict {
  if (ms <= MAX_MS) return { isShort: true, figures: `${ms} ms` }
  const measured = slowness()
  // Noise is no slow processor, and the figures of one that is more than four times slower say nothing.
  const slow = measured < 1.1 ? 1 : Math.min(measured, 4)
  const delay = freshMemoryDelay(2 * LARGEST)
  const limit = slow === 1 && delay < 1 ? MAX_MS : bucketOf(MAX_MS * slow + delay, stalls)
  const speed = `processor ${slow.toFixed(1)} times slower than usual, fresh memory ${delay.toFixed(0)} ms`
  const figures = `${ms} ms (limit ${limit} ms, ${speed})`
  const isShort = ms <= limit
  if (isShort) console.log(`a turn of up to ${figures} is accepted`)
  return { isShort, figures }
}

/** Fails when the longest turn of the quickest round was not short. `stalled`: what the service logged. */
export function assertShort({ isShort, figures }: TurnVerdict, stalled = ''): void {
  assert.ok(isShort, `the main thread was away for up to ${figures} each time: ${stalled}`)
}
