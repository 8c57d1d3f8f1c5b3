/** Memory that large work leaves in a thread, and when it is collected. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Octets, beside the heap and in it, that are not left to be collected some time: a thread that has nothing to do
 * collects nothing.
 */
const MUCH_BESIDE = 16 * 1024 * 1024
const MUCH_WITHIN = 64 * 1024 * 1024

let collect: (() => void) | null = null

/** To be called in a thread that has done something large, once nothing of it is in use any more. */
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
