/** One target, fuzzed in a thread of its own until its time is over or an input shows a defect. */
import { parentPort, workerData } from 'node:worker_threads'
import { Random } from '../harness/random.ts'
import { corpusOf } from './corpus.ts'
import { Coverage } from './coverage.ts'
import { mutant } from './mutation.ts'
import { type FuzzTarget, octetsOf } from './target.ts'
import { TARGETS } from './targets/targets.ts'
import { Shared, type ThreadData, type ThreadResult } from './thread-message.ts'

/** Inputs between two looks at the coverage. */
const BATCH = 48
/** Inputs kept for their coverage. */
const MAX_KEPT = 4_000

const { target: name, seed, seconds, numbers, input } = workerData as ThreadData
const shared = new Shared(numbers, input)
const target = TARGETS[name]!
const failure = await fuzz(target)
await target.close?.()
parentPort!.postMessage({ failure } satisfies ThreadResult)

/** What was wrong with the input begun last, or null when the time is over. */
async function fuzz(target: FuzzTarget): Promise<string | null> {
  const end = performance.now() + seconds * 1_000
  const random = new Random(seed)
  const coverage = new Coverage(new URL('../src/', import.meta.url).href)
  const corpus = [...octetsOf(target, target.seeds), ...corpusOf(name)]
  const pieces = { corpus, tokens: octetsOf(target, target.tokens) }

  const attempt = async (tried: Buffer): Promise<string | null> => {
    shared.begin(tried)
    try {
      const running = target.run(Buffer.from(tried))
      if (running !== undefined) await running
      return null
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
  }

  for (const known of [...corpus]) {
    const failure = await attempt(known)
    if (failure !== null) return failure
  }
  coverage.fresh(true)
  while (performance.now() < end) {
    const batch = Array.from({ length: BATCH }, () => mutant(random, pieces))
    for (const each of batch) {
      const failure = await attempt(each)
      if (failure !== null) return failure
    }
    const reached = corpus.length < MAX_KEPT && coverage.fresh(false) > 0
    for (const each of reached ? batch : []) {
      const failure = await attempt(each)
      if (failure !== null) return failure
      if (coverage.fresh(true) > 0) corpus.push(each)
    }
    shared.tell(coverage.size)
    // Timers and sockets of a target get their turn.
    await new Promise(setImmediate)
  }
  return null
}
