/** The body of a worker: does its tasks one after the other, and sends the answers to short ones together. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { tidy } from '../threads/tidy.ts'
import type { JobModule } from './job.ts'
import { AT, clock, SINCE, type TaskAnswers, type TaskBatch } from './task.ts'

export interface WorkerThreadData {
  progress: SharedArrayBuffer
  /** How much the operating system prefers other threads that want a processor, the main thread above all. */
  niceness: number
}

const port = parentPort!
const { progress: shared, niceness } = workerData as WorkerThreadData
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

/** Milliseconds after which the answers so far are sent, so that a slow task does not delay those to earlier ones. */
const ANSWER_WITHIN = 10

port.on('message', (posted: TaskBatch) => void perform(posted))

async function perform(posted: TaskBatch): Promise<void> {
  let answers: TaskAnswers = []
  const moved = new Set<ArrayBuffer>()
  let answeredAt = clock()
  const answerAll = () => {
    answer(answers, [...moved])
    answers = []
    moved.clear()
    answeredAt = clock()
  }
  for (const [index, { url, input }] of posted.entries()) {
    // The import of a module counts against none of the tasks before it.
    if (answers.length > 0 && !modules.has(url)) answerAll()
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
    const isLast = index === posted.length - 1
    if (!isLast && clock() - answeredAt < ANSWER_WITHIN) continue
    answerAll()
  }
  setImmediate(tidy)
}

function answer(answers: TaskAnswers, moved: ArrayBuffer[]): void {
  try {
    port.postMessage(answers, moved)
  } catch (error) {
    port.postMessage(answers.map(() => ({ error: new Error(`The result cannot cross threads: ${error}`) })))
  }
}

function jobOf(url: string): Promise<JobModule<unknown, unknown>> {
  let job = modules.get(url)
  if (job === undefined) {
    job = import(url) as Promise<JobModule<unknown, unknown>>
    modules.set(url, job)
  }
  return job
}
