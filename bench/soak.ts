/** Runs the service at half load with hostile peers for a chosen time, and judges whether anything grows. See `--help`. */

import { count, parseOptions, refuse } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import type { SoakReport } from './soak/report.ts'
import { judgeAll, shown } from './soak/series.ts'
import { type SoakChoice, SoakRun, type SoakSample } from './soak/soak-run.ts'

const HELP = `Usage: node bench/soak.ts [options]

Direct delivery to 120 domains at half of what this machine delivers; one domain in twenty is slow, hangs, refuses for now or for good,
or cuts. Looks at memory, file descriptors, timers, handles and listeners of every thread, and fails when something grows, when the
queue does not come back to zero, or when a message is lost or doubled.

  --minutes N        how long (60); an hour at 1,000 messages a second takes about 40 GB of disk
  --rate N           messages a second, in place of half of what is measured first
  --sample N         seconds between two samples (10)
  --nodes N          delivery nodes beside one for the API; 0: one process does both (0)
  --seed N           of the peers' faults (1)
${PLACE_HELP.replace('(0,1)', '(0-3)')}${USUAL_HELP}`

const values = parseOptions(HELP, {
  minutes: { type: 'string', default: '60' },
  rate: { type: 'string' },
  sample: { type: 'string', default: '10' },
  nodes: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
  cpus: { type: 'string', default: '0-3' },
})
/** Messages with which the full load is measured. */
const CALIBRATION = 4_000
/** Milliseconds for the queue to become empty after all peers accept mail again: a retry is due within half a minute. */
const DRAIN = 300_000
/** Waits between attempts; the last one is repeated often enough that nothing fails for having been deferred. */
const RETRIES = ['5s', '10s', '20s', ...Array<string>(40).fill('30s')].join(',')

const minutes = Number(values.minutes)
if (!(minutes > 0)) refuse(`--minutes ${values.minutes}: a number above 0 is needed`)
const sampleSeconds = count('sample', values.sample)
const choice: Omit<SoakChoice, 'most'> & { nodes: number } = {
  ...placeOf(values),
  nodes: count('nodes', values.nodes, 0),
  seed: count('seed', values.seed, 0),
  retries: RETRIES,
}
const full = values.rate === undefined ? await SoakRun.fullLoad({ ...choice, most: 0 }, CALIBRATION) : null
const rate = values.rate === undefined ? Math.floor(full! / 2) : count('rate', values.rate)
const segments = Math.max(4, Math.ceil((minutes * 60) / sampleSeconds))
console.log(
  `${rate} messages a second${full === null ? '' : ` (half of ${full.toFixed(0)})`} for ${minutes} minutes, seed ${choice.seed}`,
)

await using run = await SoakRun.start({ ...choice, most: segments * rate * sampleSeconds })
const samples: SoakSample[] = []
for (let segment = 0; segment < segments; segment++) {
  await run.offer(rate, sampleSeconds)
  const sample = await run.sample()
  samples.push(sample)
  const { accepted, queue, nodes } = sample
  console.log(
    `${sample.at.toFixed(0).padStart(6)} s: ${accepted} accepted, ${queue} unfinished, ` +
      nodes.map((node) => `${shown('resident', node.resident)}, ${node.files} files`).join('; '),
  )
}
await run.heal()
const drained = await run.drained(DRAIN).then(
  () => true,
  () => false,
)
const end = await run.end()
const judged = judgeAll(samples)
const growing = judged.filter(({ flat }) => !flat)
const warnings = run.listenerWarnings()
const lost = end.accepted - end.arrived - end.bounced
const passed =
  growing.length === 0 && drained && lost === 0 && end.doubled === 0 && end.strangers === 0 && warnings === 0

console.log('\n  what                                          first         last       growth        noise')
for (const { name, first, last, growth, noise, flat } of judged) {
  const cells = [first, last, growth, noise].map((value) => shown(name, value).padStart(12))
  console.log(`  ${name.padEnd(38)} ${cells.join(' ')}${flat ? '' : '   GROWS'}`)
}
console.log(
  `\n${end.accepted} accepted, ${end.arrived} arrived, ${end.bounced} refused for good, ${lost} lost, ${end.doubled} doubled, ` +
    `${end.strangers} unknown; queue ${drained ? 'back to zero' : 'NOT back to zero'}; ${warnings} listener warnings`,
)
if (end.doubles.length > 0) console.log(`doubled: ${end.doubles.join(', ')}`)
console.log(passed ? 'Nothing grows.' : 'FAILED')
if (!values['no-keep']) {
  const report: SoakReport = {
    ...provenance(),
    cpus: choice.cpus,
    database: values.database.startsWith('postgres') ? 'postgres' : values.database,
    nodes: choice.nodes,
    minutes,
    rate,
    full,
    settings: choice.settings,
    seed: choice.seed,
    passed,
    drained,
    warnings,
    end: { ...end, lost },
    judged,
    samples,
  }
  console.log(`kept as ${keepResult('soak', report, { compact: true })}`)
}
process.exitCode = passed ? 0 : 1
