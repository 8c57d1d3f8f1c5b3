/** The heaps of all threads of a process, read through its inspector. */
import type { ThreadInspector } from '../../harness/thread-inspector.ts'

/** Octets. */
export interface MemoryOfThread {
  name: string
  /** Objects in the heap, garbage included. */
  used: number
  /** Memory that the heap has taken from the system: for new objects, and for all others, compiled code included. */
  young: number
  old: number
  /** Buffers, and what V8 allocates outside of its heap. */
  beside: number
}

const YOUNG = ['new_space', 'new_large_object_space']

/** A string, because it is evaluated in the thread. */
const LOOK = `(() => {
  const v8 = process.getBuiltinModule('node:v8')
  const whole = v8.getHeapStatistics()
  const spaces = v8.getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('read_only'))
  const size = (young) => spaces.filter(({ space_name }) => ${JSON.stringify(YOUNG)}.includes(space_name) === young)
    .reduce((sum, { physical_space_size }) => sum + physical_space_size, 0)
  return JSON.stringify({
    used: whole.used_heap_size,
    young: size(true),
    old: size(false),
    beside: whole.external_memory + whole.malloced_memory,
  })
})()`

/** The main thread first. A thread that ends meanwhile is missing. */
export async function memoryOfThreads(inspector: ThreadInspector): Promise<MemoryOfThread[]> {
  const look = async (name: string, session: string | null): Promise<MemoryOfThread[]> => {
    const value = await inspector.evaluate(session, LOOK).catch(() => undefined)
    return value === undefined ? [] : [{ name, ...(JSON.parse(value) as Omit<MemoryOfThread, 'name'>) }]
  }
  const found = [await look('main', null)]
  for (const [session, name] of inspector.workers) found.push(await look(name, session))
  return found.flat()
}

/** The most of each figure of each thread. */
export function most(samples: MemoryOfThread[][]): MemoryOfThread[] {
  const highest = new Map<string, MemoryOfThread>()
  for (const thread of samples.flat()) {
    const { used, young, old, beside } = highest.get(thread.name) ?? thread
    highest.set(thread.name, {
      name: thread.name,
      used: Math.max(used, thread.used),
      young: Math.max(young, thread.young),
      old: Math.max(old, thread.old),
      beside: Math.max(beside, thread.beside),
    })
  }
  return [...highest.values()]
}
