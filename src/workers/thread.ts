/** The body of a worker: does its tasks one after the other, and answers for all of them together. */
import { setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import type { JobModule } from './job.ts'
import { type Answers, AT, clock, type Posted, SINCE } from './task.ts'

export interface ThreadData {
  progress: SharedArrayBuffer
  /** How much the operating system prefers other threads that want a processor, the main thread above all. */
  niceness: number
}

/** Octets, outside the heap and in it, that are collected at once: an idle thread collects nothing by itself. */
const MUCH_BESIDE = 16 * 1024 * 1024
const MUCH_WITHIN = 64 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const port = parentPort!
const { progress: shared, niceness } = workerData as ThreadData
const progress = new Int32Array(shared)
const modules = new Map<string, Promise<JobModule<unknown, unknown>>>()

// On Linux a thread has its own priority; elsewhere this would set that of the whole process.
if (process.platform === 'linux' && niceness > 0) {
  try {
    setPriority(0, niceness)
  } catch {
    // A sandbox may forbid it, which does no harm.
  }
}

port.on('message', (posted: Posted) => void perform(posted))

async function perform(posted: Posted): Promise<void> {
  const answers: Answers = []
  const moved = new Set<ArrayBuffer>()
  for (const [index, { url, input }] of posted.entries()) {
    try {
      const job = await jobOf(url)
      Atomics.store(progress, SINCE, clock())
      Atomics.store(progress, AT, index)
      const output = await job.default(input)
      for (const buffer of job.buffersOf?.(output) ?? []) moved.add(buffer)
      answers.push({ output })
    } catch (error) {
      answers.push({ error })
    }
  }
  try {
    port.postMessage(answers, [...moved])
  } catch (error) {
    port.postMessage(answers.map(() => ({ error: new Error(`The result cannot cross threads: ${error}`) })))
  }
  setImmediate(tidy)
}

/** Runs when nothing of the tasks is in use any more. */
function tidy(): void {
  const { external_memory: beside, used_heap_size: within } = getHeapStatistics()
  if (beside > MUCH_BESIDE || within > MUCH_WITHIN) collect()
}

function jobOf(url: string): Promise<JobModule<unknown, unknown>> {
  let job = modules.get(url)
  if (job === undefined) {
    job = import(url) as Promise<JobModule<unknown, unknown>>
    modules.set(url, job)
  }
  return job
}
