/**
 * Measures the cost of a change: the services of this checkout and of another one run side by side and are measured in
 * turns, in short rounds, so that changes in the speed of the machine affect both alike. See `--help`.
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { count, oneOf, orRefuse, parseWithPlaces, refuse } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { measureAccepting, measureDelivery, type Parts } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { USUAL_CONNECTIONS } from './report.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { parseBehaviour } from './sink/behaviour.ts'
import { median } from './statistics.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/beside.ts [options] <directory>

Measures this checkout beside the one in <directory>, an installed one of another commit:

  git worktree add ../before <commit> && (cd ../before && npm ci)
  npm run bench:beside -- ../before

Every figure is the median of the ratios of rounds that followed each other: over 1.00 this checkout does more, or costs more.

  --rounds N         rounds of each measurement (9)
  --messages N       messages in each end-to-end round (2000)
  --accept-ms N      milliseconds of each round of accepting (1000)
  --sink LIST        behaviour of the sinks, as of bench/run.ts: link=20 for a link of 20 ms there and back
  --only LIST        what is measured: accept-1, accept-10, accept-50, accept-200, deliver (all)
${PLACE_HELP}${USUAL_HELP}`

const MEASUREMENTS = ['accept-1', 'accept-10', 'accept-50', 'accept-200', 'deliver'] as const
type Measurement = (typeof MEASUREMENTS)[number]

/** Of one round: messages a second, and CPU-ms of service and database a message. */
interface Round {
  rate: number
  cpu: number
}

const { values, positionals } = parseWithPlaces(HELP, {
  rounds: { type: 'string', default: '9' },
  messages: { type: 'string', default: '2000' },
  'accept-ms': { type: 'string', default: '1000' },
  sink: { type: 'string', default: '' },
  only: { type: 'string', default: MEASUREMENTS.join(',') },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const directory = resolve(positionals[0] ?? '.')
const program = join(directory, 'bin/postroad')
if (positionals.length !== 1 || !existsSync(program) || !existsSync(join(directory, 'node_modules')))
  refuse('Name the directory of another checkout in which "npm ci" has been run (see --help).')
const wanted = values.only.split(',').map((name) => oneOf('only', name, MEASUREMENTS))
const measurements = MEASUREMENTS.filter((each) => wanted.includes(each))
const rounds = count('rounds', values.rounds)
const messages = count('messages', values.messages)
const milliseconds = count('accept-ms', values['accept-ms'])
const choice = { ...placeOf(values), behaviour: orRefuse(() => parseBehaviour(values.sink)) }
await using stack = new AsyncDisposableStack()
const before = await stack.use(await Rig.start({ ...choice, program })).serve()
const now = await stack.use(await Rig.start(choice)).serve()

async function measure(parts: Parts, measurement: Measurement): Promise<Round> {
  if (measurement === 'deliver') {
    const { delivered, cpu, databaseCpu = 0 } = await measureDelivery(parts, messages, USUAL_CONNECTIONS)
    return { rate: delivered, cpu: cpu + databaseCpu }
  }
  const connections = Number(measurement.slice('accept-'.length))
  const { accepted, cpu, databaseCpu = 0 } = await measureAccepting(parts, { connections, milliseconds })
  return { rate: accepted, cpu: cpu + databaseCpu }
}

for (const parts of [before, now]) {
  await measureAccepting(parts, { connections: 10, milliseconds })
  await measureDelivery(parts, messages, USUAL_CONNECTIONS)
}
const figures = []
for (const measurement of measurements) {
  const both = [before, now]
  const [earlier, later] = await inTurns(
    both,
    rounds,
    (parts) => measure(parts, measurement),
    `${measurement}: `,
  )
  const pairs = earlier!.map((round, index) => ({ before: round, now: later![index]! }))
  figures.push({
    measurement,
    before: {
      rate: median(pairs.map((pair) => pair.before.rate)),
      cpu: median(pairs.map((pair) => pair.before.cpu)),
    },
    now: { rate: median(pairs.map((pair) => pair.now.rate)), cpu: median(pairs.map((pair) => pair.now.cpu)) },
    rateRatio: median(pairs.map((pair) => pair.now.rate / pair.before.rate)),
    cpuRatio: median(pairs.map((pair) => pair.now.cpu / pair.before.cpu)),
    rounds: pairs,
  })
}

const run = {
  ...provenance(),
  before: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: directory, encoding: 'utf8' }).trim(),
  cpus: choice.cpus,
  database: values.database,
  settings: choice.settings,
  messages,
  figures,
}
console.log(
  `\n${run.machine}; ${run.node}; ${run.database}; ${run.commit} beside ${run.before}, ${rounds} rounds each, in turns`,
)
console.log(
  `  ${''.padEnd(12)} ${'messages/s'.padStart(18)} ${'ratio'.padStart(7)}   ${'CPU-ms a message'.padStart(18)} ${'ratio'.padStart(7)}`,
)
for (const { measurement, before, now, rateRatio, cpuRatio } of figures) {
  const rates = `${before.rate.toFixed(0)} -> ${now.rate.toFixed(0)}`
  const cpus = `${before.cpu.toFixed(3)} -> ${now.cpu.toFixed(3)}`
  console.log(
    `  ${measurement.padEnd(12)} ${rates.padStart(18)} ${rateRatio.toFixed(3).padStart(7)}   ${cpus.padStart(18)} ${cpuRatio.toFixed(3).padStart(7)}`,
  )
}
if (!values['no-keep']) console.log(`kept as ${keepResult('beside', run)}`)
