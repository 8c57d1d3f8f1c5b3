/** Collects the memory that large work leaves in a thread. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** From so many octets on, outside of the heap and in it, the thread collects at once: an idle thread never would. */
const MUCH_BESIDE = 16 * 1024 * 1024
const MUCH_WITHIN = 64 * 1024 * 1024

let collect: (() => void) | null = null

/** Call it in a thread after large work, once nothing of that work is in use any more. */
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
