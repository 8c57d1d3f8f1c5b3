/** `npm run fuzz`: changed inputs for every parser that reads what strangers send. See `--help`. */
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { count, parseWithPlaces } from '../harness/options.ts'
import { seedFor } from '../harness/random.ts'
import { keepInput } from './corpus.ts'
import { fuzzTarget, type TargetReport } from './supervisor.ts'
import { TARGETS } from './targets/targets.ts'

const HELP = `Usage: npm run fuzz -- [options] [target ...]

Gives each parser that meets strangers' input mutated inputs and follows V8's coverage to new ones. Whatever throws something
other than a refusal, breaks what must hold, takes over a second of CPU time or too much memory is kept in fuzz/corpus, and
the exit code is 1.

  --seconds N   for each target (20)
  --seed S      the same seed gives the same first inputs (a random one, printed)
  --at-once N   targets at the same time (as many as there are processors)

Targets:
${Object.entries(TARGETS)
  .map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`)
  .join('\n')}
`

const { values, positionals } = parseWithPlaces(HELP, {
  seconds: { type: 'string', default: '20' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  'at-once': { type: 'string', default: String(availableParallelism()) },
})
for (const name of positionals) {
  if (name in TARGETS) continue
  process.stderr.write(`There is no target ${name}. They are: ${Object.keys(TARGETS).join(', ')}\n`)
  process.exit(2)
}
const seconds = count('seconds', values.seconds)
const seed = count('seed', values.seed, 0)
const atOnce = count('at-once', values['at-once'])

const left = positionals.length > 0 ? positionals : Object.keys(TARGETS)
process.stdout.write(`Fuzzing ${left.length} targets for ${seconds} s each, seed ${seed}\n`)
const reports: TargetReport[] = []
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const report = await fuzzTarget(name, seedFor(seed, name), seconds)
      reports.push(report)
      tell(report)
    }
  }),
)
const found = reports.filter(({ finding }) => finding !== null)
process.stdout.write(
  found.length === 0
    ? 'Nothing was found.\n'
    : `Found something in: ${found.map(({ target }) => target).join(', ')}\n`,
)
if (found.length > 0) process.exitCode = 1

function tell({ target, runs, places, finding }: TargetReport): void {
  const line = `${target.padEnd(20)} ${String(runs).padStart(9)} inputs, ${String(places).padStart(6)} places`
  process.stdout.write(`${finding === null ? 'ok    ' : 'FOUND '} ${line}\n`)
  if (finding === null) return
  const path = relative(fileURLToPath(new URL('..', import.meta.url)), keepInput(target, finding.input))
  process.stdout.write(`       ${finding.why.split('\n').join('\n       ')}\n       input: ${path}\n`)
  // Where the checkout does not outlive the run, its output does.
  if (finding.input.length <= 3_000)
    process.stdout.write(`       base64: ${finding.input.toString('base64')}\n`)
}
