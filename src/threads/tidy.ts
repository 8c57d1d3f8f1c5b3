/** Collects the memory that large work leaves in a thread. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Octets, outside the heap and in it, above which the thread collects garbage at once. An idle thread would never do
 * so.
 */
const MUCH_BESIDE = 16 * 1024 * 1024
const MUCH_WITHIN = 64 * 1024 * 1024

let collect: (() => void) | null = null

/** Must be called after large work, when none of its data is in use any more. */
export function tidy(): void {
  const { external_memory: beside, used_heap_size: within } = getHeapStatistics()
  if (beside <= MUCH_BESIDE && within <= MUCH_WITHIN) return
  collect ??= collector()
  collect()
}

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
