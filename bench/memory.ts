/** Measures the memory of the service: idle, at the peak of usual work, and idle again. See `--help`. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { count, parseWithPlaces, refuse } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { processMemory } from '../harness/service/process-memory.ts'
import { ThreadInspector } from '../harness/thread-inspector.ts'
import { measureDelivery } from './measure.ts'
import {
  type MeasuredRound,
  type MemoryFigures,
  type MemoryRound,
  type MemoryRun,
  printMemory,
  STATES,
  type State,
} from './memory/report.ts'
import { type MemoryOfThread, memoryOfThreads, most } from './memory/threads.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { USUAL_CONNECTIONS } from './report.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { median } from './statistics.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/memory.ts [options] [<directory>]

The memory of a service that has just started, its highest while messages are accepted and delivered, and what is left when it is idle
again: resident, and the anonymous part of it (the rest is mapped from files, most of it Node.js itself). Every round starts a service on
an empty database. Then one more is asked through the inspector what the heap of each thread holds: used, for new objects (young), for all
others (old), and buffers and others beside it. The processor time of a message shows what less memory costs.

With <directory>, an installed checkout of another commit, both in turns.

  --messages N       messages of the work (6000)
  --connections N    connections that offer them (${USUAL_CONNECTIONS})
  --rest-ms N        milliseconds from the start or the end of the work until a service counts as idle (5000)
  --rounds N         services of each (5)
${PLACE_HELP}${USUAL_HELP}`

const { values, positionals } = parseWithPlaces(HELP, {
  messages: { type: 'string', default: '6000' },
  connections: { type: 'string', default: String(USUAL_CONNECTIONS) },
  'rest-ms': { type: 'string', default: '5000' },
  rounds: { type: 'string', default: '5' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const messages = count('messages', values.messages)
const connections = count('connections', values.connections)
const rest = count('rest-ms', values['rest-ms'])
const rounds = count('rounds', values.rounds)
const place = placeOf(values)
if (positionals.length > 1) refuse('Name at most one other checkout (see --help).')
const others = positionals.map((directory) => ({
  name: basename(resolve(directory)),
  program: join(resolve(directory), 'bin/postroad'),
}))
for (const { name, program } of others)
  if (!existsSync(program)) refuse(`${name} is not the directory of another checkout`)

/** Ms between two looks at a busy process, and at its threads. */
const LOOK = 20
const LOOK_AT_THREADS = 100

await using stack = new AsyncDisposableStack()
const subjects: { name: string; rig: Rig }[] = []
for (const { name, ...program } of [{ name: 'this checkout' }, ...others])
  subjects.push({ name, rig: stack.use(await Rig.start({ ...place, ...program })) })

/** Measures one service from start to end. `look`: called in each state; `watch`: called repeatedly during the work. */
async function live<Figure>(
  rig: Rig,
  settings: Record<string, string>,
  open: (pid: number, inspector: string | null) => Promise<Watch<Figure>>,
): Promise<Record<State, Figure> & { cpu: number }> {
  const parts = await rig.serve({ settings })
  const [pid] = parts.service.pids
  const watch = await open(pid!, parts.service.inspectors[0] ?? null)
  try {
    await pause(rest)
    const idle = await watch.look()
    const samples = [idle]
    let busy = true
    const watching = (async () => {
      while (busy) {
        samples.push(await watch.look())
        await pause(watch.every)
      }
    })()
    const { cpu } = await measureDelivery(parts, messages, connections).finally(() => {
      busy = false
    })
    await watching
    await pause(rest)
    return { idle, peak: watch.most(samples), after: await watch.look(), cpu }
  } finally {
    watch.close?.()
    await rig.stop(parts.service)
  }
}

interface Watch<Figure> {
  /** Ms between two looks during the work. */
  every: number
  look(): Promise<Figure>
  most(samples: Figure[]): Figure
  close?(): void
}

function measure({ rig }: { rig: Rig }): Promise<MeasuredRound> {
  return live<MemoryFigures>(rig, {}, async (pid) => ({
    every: LOOK,
    look: async () => processMemory(pid),
    most: (samples) => ({
      // The system remembers a peak between two looks.
      resident: processMemory(pid).peak,
      anonymous: Math.max(...samples.map(({ anonymous }) => anonymous)),
    }),
  }))
}

function inspect({ rig }: { rig: Rig }): Promise<Record<State, MemoryOfThread[]>> {
  return live(rig, { NODE_OPTIONS: '--inspect=127.0.0.1:0' }, async (_, address) => {
    if (address === null) throw new Error('the service did not tell the address of its inspector')
    const inspector = await ThreadInspector.connect(address)
    return {
      every: LOOK_AT_THREADS,
      look: () => memoryOfThreads(inspector),
      most,
      close: () => inspector.close(),
    }
  })
}

const measured = await inTurns(subjects, rounds, measure)
const run: MemoryRun = {
  ...provenance(),
  cpus: place.cpus,
  database: subjects[0]!.rig.database.name,
  settings: place.settings,
  messages,
  connections,
  subjects: [],
}
for (const [index, subject] of subjects.entries()) {
  const each = measured[index]!
  const middle = (state: State): MemoryFigures => ({
    resident: median(each.map((round) => round[state].resident)),
    anonymous: median(each.map((round) => round[state].anonymous)),
  })
  run.subjects.push({
    name: subject.name,
    memory: Object.fromEntries(STATES.map((state) => [state, middle(state)])) as MemoryRound,
    cpu: median(each.map(({ cpu }) => cpu)),
    rounds: each,
    threads: await inspect(subject),
  })
}
console.log(
  `${run.machine}; ${run.node}; ${run.database}; ${run.commit}; ${messages} messages, ${rounds} rounds`,
)
printMemory(run)
if (!values['no-keep']) process.stdout.write(`kept as ${keepResult('memory', run)}\n`)
