import assert from 'node:assert/strict'
import { freshMemoryDelay, slowness } from '../../../harness/processor-speed.ts'
import { bucketOf, type Stalls } from '../../../harness/service/stalls.ts'

/** Ms of processor time that a turn of the main thread may take at the usual speed of a processor, whatever is asked. */
export const MOST_MS = 50

/** The octets of the largest message: a turn may receive it from one thread and copy it for another. */
const LARGEST = 24_000_000

/**
 * Whether a turn of `ms` is short for the present speed of the machine. `stalls`: any of the service, whose buckets
 * round the limit.
 */
export function isShort(ms: number, stalls: Stalls): boolean {
  return ms <= MOST_MS || ms <= limitOf(stalls).ms
}

/** Fails when the longest turn of the quickest round, `ms`, is not short. `stalled`: what the service logged. */
export function assertShort(ms: number, stalls: Stalls, stalled = ''): void {
  if (ms <= MOST_MS) return
  const limit = limitOf(stalls)
  assert.ok(
    ms <= limit.ms,
    `the main thread was away for up to ${ms} ms each time (${limit.speed}): ${stalled}`,
  )
  console.log(`a turn of up to ${ms} ms is accepted: ${limit.speed}`)
}

function limitOf(stalls: Stalls): { ms: number; speed: string } {
  const measured = slowness()
  // Noise is no slow processor, and the figures of one that is more than four times slower say nothing.
  const slow = measured < 1.1 ? 1 : Math.min(measured, 4)
  const delay = freshMemoryDelay(2 * LARGEST)
  const ms = slow === 1 && delay < 1 ? MOST_MS : bucketOf(MOST_MS * slow + delay, stalls)
  const processor = `processor ${slow.toFixed(1)} times slower than usual`
  return {
    ms,
    speed: `limit ${ms} ms, ${processor}, fresh memory for the largest message ${delay.toFixed(0)} ms`,
  }
}
