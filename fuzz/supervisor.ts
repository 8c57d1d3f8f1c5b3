/** Runs one target in a thread and notices when an input kills it or keeps it. */
import { Worker } from 'node:worker_threads'
import { Shared, type ThreadData, type ThreadResult } from './thread-message.ts'

/** CPU time of one input, in milliseconds: the bound that no input may pass. */
const HANG_CPU_MS = 1_000
const LOOK_EVERY_MS = 200
/** MiB of the thread: an input of 64 KiB that needs more has found something. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 }

export interface TargetReport {
  target: string
  /** Inputs tried. */
  runs: number
  /** Places of the program reached. */
  places: number
  /** What was wrong, and with which input; null when nothing was. */
  finding: { why: string; input: Buffer } | null
}

/** Resolves when the time is over or something was found. */
export async function fuzzTarget(target: string, seed: number, seconds: number): Promise<TargetReport> {
  const shared = new Shared()
  const workerData: ThreadData = { target, seed, seconds, numbers: shared.numbers, input: shared.input }
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits: MEMORY })
  const { promise: ended, resolve } = Promise.withResolvers<string | null>()
  worker.once('message', ({ failure }: ThreadResult) => resolve(failure))
  worker.once('error', (error) => resolve(String(error)))
  worker.once('exit', (code) => resolve(`the thread ended with exit code ${code}`))
  const looking = watchForHang(worker, shared, resolve)
  const why = await ended
  clearInterval(looking)
  const input = shared.current()
  await worker.terminate()
  const { runs, places } = shared.counts
  return { target, runs, places, finding: why === null ? null : { why, input } }
}

function watchForHang(worker: Worker, shared: Shared, found: (why: string) => void): NodeJS.Timeout {
  let since = { runs: -1, cpu: 0 }
  return setInterval(async () => {
    const { runs } = shared.counts
    // Its own time on a processor: on a busy machine the clock on the wall says nothing.
    const usage = await worker.cpuUsage().catch(() => null)
    if (usage === null || runs === 0) return
    const cpu = (usage.user + usage.system) / 1_000
    if (runs !== since.runs) since = { runs, cpu }
    else if (cpu - since.cpu > HANG_CPU_MS) found(`one input took over ${HANG_CPU_MS} ms of CPU time`)
  }, LOOK_EVERY_MS)
}
