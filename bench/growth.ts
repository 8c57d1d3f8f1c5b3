/** Measures whether the cost of a message grows with the size of the database. See `--help`. */

import { count, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { type Memory, processMemory } from '../harness/service/process-memory.ts'
import { figures, type GrowthRound, type GrowthRun, type Ratio, ratioWithSpread } from './growth-report.ts'
import { fillHistory } from './history/fill.ts'
import { WEEKS_OF_HISTORY } from './history/shape.ts'
import { measureAccepting, measureDelivery, type Parts } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { median } from './statistics.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/growth.ts [options]

Runs one service on an empty database and one on a database with history and mail that waits, measures accepting and delivering on
both in turns, and prints what the second has of the first. Two million emails take about 6 GB of disk.

  --history N        finished emails (${WEEKS_OF_HISTORY.emails})
  --waiting N        recipients that wait, none due while this runs (${WEEKS_OF_HISTORY.waiting})
  --domains N        recipient domains they are spread over (${WEEKS_OF_HISTORY.domains})
  --octets N         octets of text of each of them (${WEEKS_OF_HISTORY.octets})
  --messages N       messages in each end-to-end round (3000)
  --rounds N         rounds on each after one warm-up round (5)
  --accept-ms N      milliseconds of accepting in each round (2000)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  history: { type: 'string', default: String(WEEKS_OF_HISTORY.emails) },
  waiting: { type: 'string', default: String(WEEKS_OF_HISTORY.waiting) },
  domains: { type: 'string', default: String(WEEKS_OF_HISTORY.domains) },
  octets: { type: 'string', default: String(WEEKS_OF_HISTORY.octets) },
  messages: { type: 'string', default: '3000' },
  rounds: { type: 'string', default: '5' },
  'accept-ms': { type: 'string', default: '2000' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const history = {
  ...WEEKS_OF_HISTORY,
  emails: count('history', values.history, 0),
  waiting: count('waiting', values.waiting, 0),
  domains: count('domains', values.domains),
  octets: count('octets', values.octets, 0),
}
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const acceptMs = count('accept-ms', values['accept-ms'])
const place = placeOf(values)
/** Connections at which accepting and delivering are measured. */
const CONNECTIONS = { accepting: 50, delivering: 20 }

async function measure(parts: Parts): Promise<GrowthRound> {
  return {
    accepting: await measureAccepting(parts, { connections: CONNECTIONS.accepting, milliseconds: acceptMs }),
    delivering: await measureDelivery(parts, messages, CONNECTIONS.delivering),
  }
}

await using rig = await Rig.start(place)
const empty = await rig.serve()
const fillStarted = performance.now()
const full = await rig.serve({
  prepare: async (installation, tenant, database) => {
    await fillHistory({ installation, tenant, database, shape: history }, (written, of) =>
      process.stderr.write(`${written} of ${of} emails written, ${seconds(fillStarted)} s\n`),
    )
  },
})
const fillSeconds = seconds(fillStarted)

for (const parts of [empty, full])
  await measureDelivery(parts, Math.min(1_000, messages), CONNECTIONS.delivering)
const [ofEmpty, ofFull] = await inTurns([empty, full], rounds, measure)
const measured = ofEmpty!.map((round, index) => ({ empty: round, full: ofFull![index]! }))

const names = ['acceptedPerSecond', 'acceptCpu', 'deliveredPerSecond', 'deliverCpu', 'latencyMedian'] as const
const summary = names.map((name): Ratio => {
  const ratios = measured.map((round) => figures(round.full)[name] / figures(round.empty)[name])
  return {
    name,
    empty: median(measured.map((round) => figures(round.empty)[name])),
    full: median(measured.map((round) => figures(round.full)[name])),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  }
})
const memory = { empty: memoryOf(empty), full: memoryOf(full) }

const run: GrowthRun = {
  ...provenance(),
  cpus: place.cpus,
  database: rig.database.name,
  history,
  settings: place.settings,
  fillSeconds,
  messages,
  acceptMs,
  summary,
  memory,
  rounds: measured,
}

console.log(
  `\n${run.machine}; CPUs ${place.cpus} for everything together; ${run.node}; commit ${run.commit}; ${run.database}`,
)
console.log(
  `${history.emails} emails of history and ${history.waiting} waiting, written in ${fillSeconds} s; ${rounds} rounds on each, in turns`,
)
console.log('\n                          empty         full    full / empty (rounds)')
for (const each of summary) {
  const { name, empty: before, full: after } = each
  const digits = before > 100 ? 0 : 3
  const cells = [before.toFixed(digits).padStart(11), after.toFixed(digits).padStart(12)]
  console.log(`  ${name.padEnd(18)} ${cells.join(' ')} ${ratioWithSpread(each).padStart(23)}`)
}
console.log(`  resident now / peak, MB ${megabytes(memory.empty)} ${megabytes(memory.full).padStart(15)}`)
if (!values['no-keep']) console.log(`kept as ${keepResult('growth', run)}`)

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}

/** Of the largest node. */
function memoryOf({ service }: Parts): Memory {
  const each = service.pids.map(processMemory)
  return {
    resident: Math.max(...each.map(({ resident }) => resident)),
    peak: Math.max(...each.map(({ peak }) => peak)),
    anonymous: Math.max(...each.map(({ anonymous }) => anonymous)),
  }
}

function megabytes({ resident, peak }: Memory): string {
  return `${(resident / 1_048_576).toFixed(0)} / ${(peak / 1_048_576).toFixed(0)}`
}
