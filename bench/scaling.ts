/** Measures the gain of more CPUs or more delivery nodes: two set-ups in turns. See `--help`. */

import os from 'node:os'
import { count, oneOf, parseOptions, refuse } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { measureDelivery, type Parts } from './measure.ts'
import { parseSettings, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import { Rig, type RigChoice } from './rig.ts'
import { ratioOf, SCALING_KINDS, type ScalingRun, scaledSetup } from './scaling-report.ts'
import { canPin } from './service/pinned-process.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/scaling.ts [options]

Delivers through two set-ups in turns and prints what the second delivers of the first.

  --kind NAME        cpus: one process on SQLite, with load and sink on CPUs 0,1, against all on CPUs 0-3
                     nodes: PostgreSQL, the API node, load and sink on CPUs 2,3, one delivery node on CPU 0, against a second one on
                     CPU 1 (cpus). Nodes share the sessions one site may have: with --set POSTROAD_SITE_CONCURRENCY=100 these
                     are no limit
  --messages N       messages in each round of each set-up (5000)
  --rounds N         rounds after one warm-up round (5)
  --connections N    connections that offer the messages (20)
${USUAL_HELP}`

const values = parseOptions(HELP, {
  kind: { type: 'string', default: 'cpus' },
  messages: { type: 'string', default: '5000' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '20' },
  ...USUAL_OPTIONS,
})
const kind = oneOf('kind', values.kind, SCALING_KINDS)
if (!canPin || os.availableParallelism() < 4)
  refuse('Four CPUs and taskset are needed: without them both set-ups are the same.')
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const connections = count('connections', values.connections)

const settings = parseSettings(values.set)
const common = { parent: values.directory, settings }
const onNodes = { ...common, cpus: '2,3', database: 'postgres' }
const onCpus = { ...common, database: 'sqlite' }
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
const measured = await inTurns(started, rounds, (parts) => measureDelivery(parts, messages, connections))

const run: ScalingRun = {
  ...provenance(),
  kind,
  settings,
  messages,
  rounds,
  setups: setups[kind].map(({ name }, index) => scaledSetup(name, measured[index]!)),
  ratio: ratioOf(measured),
}
console.log(
  `\n${run.machine}; ${run.node}; commit ${run.commit}; ${rounds} rounds of ${messages} messages on each, in turns`,
)
for (const { name, delivered, deliveredBest, cpu } of run.setups)
  console.log(
    `  ${name.padEnd(20)} ${delivered.toFixed(0)} (${deliveredBest.toFixed(0)}) delivered/s, ${cpu.toFixed(2)} CPU-ms a message`,
  )
console.log(`  second / first: ${run.ratio.toFixed(2)}`)
if (!values['no-keep']) console.log(`kept as ${keepResult('scaling', run)}`)
