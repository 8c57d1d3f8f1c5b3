/** What more CPUs, or more delivery nodes, give: two set-ups in turns. See `--help`. */

import os from 'node:os'
import { parseArgs } from 'node:util'
import { provenance } from '../harness/results.ts'
import { type DeliveryRound, measureDelivery, type Parts } from './measure.ts'
import { USUAL_SHAPE } from './message.ts'
import { count, parseSettings } from './options.ts'
import { keepResult } from './results.ts'
import { Rig, type RigChoice } from './rig.ts'
import { ratioOf, SCALING_KINDS, type ScalingRun, scaledSetup } from './scaling-report.ts'
import { canPin } from './service/pinned-process.ts'

const HELP = `Usage: node bench/scaling.ts [options]

Delivers through two set-ups in turns and prints what the second delivers of the first.

  --kind NAME        cpus: one process on SQLite, with load and sink on CPUs 0,1, against all on CPUs 0-3
                     nodes: PostgreSQL, the API node, load and sink on CPUs 2,3, one delivery node on CPU 0, against a second one on
                     CPU 1 (cpus). Nodes share the sessions one site may have: with --set POSTROAD_SITE_CONCURRENCY=100 these
                     are no limit
  --messages N       messages in each round of each set-up (5000)
  --rounds N         rounds after one warm-up round (5)
  --connections N    connections that offer the messages (20)
  --set NAME=VALUE   a POSTROAD_... setting of both; may be given several times
  --directory DIR    where the databases go (the system's temporary directory)
  --no-keep          prints only
`

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'cpus' },
    messages: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '20' },
    set: { type: 'string', multiple: true, default: [] },
    directory: { type: 'string', default: os.tmpdir() },
    'no-keep': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const kind = SCALING_KINDS.find((each) => each === values.kind)
if (kind === undefined) {
  process.stderr.write(`--kind ${values.kind}: one of ${SCALING_KINDS.join(', ')} is needed\n`)
  process.exit(2)
}
if (!canPin || os.availableParallelism() < 4) {
  process.stderr.write('Four CPUs and taskset are needed: without them both set-ups are the same.\n')
  process.exit(2)
}
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const connections = count('connections', values.connections)

const settings = parseSettings(values.set)
const common = {
  route: 'relay',
  shape: USUAL_SHAPE,
  parent: values.directory,
  settings,
} as const
const onNodes = { ...common, cpus: '2,3', database: 'postgres' }
const onCpus = { ...common, database: 'sqlite', nodes: 0 }
const setups: Record<typeof kind, { name: string; choice: RigChoice }[]> = {
  cpus: [
    { name: 'CPUs 0,1', choice: { ...onCpus, cpus: '0,1' } },
    { name: 'CPUs 0-3', choice: { ...onCpus, cpus: '0-3' } },
  ],
  nodes: [
    { name: 'one delivery node', choice: { ...onNodes, nodes: 1, nodeCpus: ['0'] } },
    { name: 'two delivery nodes', choice: { ...onNodes, nodes: 2, nodeCpus: ['0', '1'] } },
  ],
}

await using stack = new AsyncDisposableStack()
const started: Parts[] = []
for (const { choice } of setups[kind]) started.push(await stack.use(await Rig.start(choice)).serve())
for (const parts of started) await measureDelivery(parts, Math.min(1_000, messages), connections)
const measured: DeliveryRound[][] = [[], []]
for (let round = 0; round < rounds; round++) {
  // Neither always comes second.
  for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
    measured[index]!.push(await measureDelivery(started[index]!, messages, connections))
  process.stderr.write(`round ${round + 1} of ${rounds} done\n`)
}

const run: ScalingRun = {
  ...provenance(),
  kind,
  settings,
  messages,
  rounds,
  setups: setups[kind].map(({ name }, index) => scaledSetup(name, measured[index]!)),
  ratio: ratioOf(measured),
}
const say = (line: string) => process.stdout.write(`${line}\n`)
say(
  `\n${run.machine}; ${run.node}; commit ${run.commit}; ${rounds} rounds of ${messages} messages on each, in turns`,
)
for (const { name, delivered, deliveredBest, cpu } of run.setups)
  say(
    `  ${name.padEnd(20)} ${delivered.toFixed(0)} (${deliveredBest.toFixed(0)}) delivered/s, ${cpu.toFixed(2)} CPU-ms a message`,
  )
say(`  second / first: ${run.ratio.toFixed(2)}`)
if (!values['no-keep']) say(`kept as ${keepResult('scaling', run)}`)
