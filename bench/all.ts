/**
 * Measures everything on the page docs/performance.md, one program after the other, so that its figures come from one
 * commit and one day. See `--help`.
 */
import { spawnSync } from 'node:child_process'
import os from 'node:os'
import { join } from 'node:path'
import { oneOf, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'

interface Measurement {
  name: string
  program: string
  /** `brief` replaces or adds to the options with `--brief`. */
  options: string[]
  brief?: string[]
  /** Processors that it needs. */
  processors?: number
}

const BRIEF_GROWTH = ['--history', '100000', '--waiting', '20000', '--rounds', '2', '--messages', '2000']
const BRIEF_LISTING = ['--history', '200000', '--rounds', '40']
const FOUR_CPUS = { processors: 4, options: ['--cpus', '0-3'] }

const MEASUREMENTS: readonly Measurement[] = [
  { name: 'delivering', program: 'run', options: [], brief: ['--rounds', '3'] },
  {
    name: 'delivering-postgres',
    program: 'run',
    options: ['--database', 'postgres'],
    brief: ['--rounds', '3'],
  },
  { name: 'delivering-4-cpus', program: 'run', ...FOUR_CPUS },
  {
    name: 'large',
    program: 'run',
    options: ['--size', '102400'],
    brief: ['--rounds', '2', '--messages', '2000'],
  },
  {
    name: 'attachment',
    program: 'run',
    options: ['--size', '102400', '--attachment'],
    brief: ['--rounds', '2', '--messages', '2000'],
  },
  { name: 'scaling-cpus', program: 'scaling', options: ['--kind', 'cpus'], processors: 4 },
  { name: 'scaling-nodes', program: 'scaling', options: ['--kind', 'nodes'], processors: 4 },
  { name: 'growth', program: 'growth', options: [], brief: BRIEF_GROWTH },
  { name: 'growth-postgres', program: 'growth', options: ['--database', 'postgres'], brief: BRIEF_GROWTH },
  { name: 'listing', program: 'listing', options: [], brief: BRIEF_LISTING },
  { name: 'listing-postgres', program: 'listing', options: ['--database', 'postgres'], brief: BRIEF_LISTING },
  { name: 'submission', program: 'submission', options: [], brief: ['--rounds', '2'] },
  { name: 'webhooks', program: 'webhooks', options: [], brief: ['--rounds', '2', '--messages', '8000'] },
  { name: 'parked', program: 'parked', options: ['--sites', '200'] },
  {
    name: 'parked-postgres',
    program: 'parked',
    options: ['--sites', '200', '--database', 'postgres'],
  },
  { name: 'console', program: 'console', options: [], brief: ['--rounds', '3', '--messages', '5000'] },
  { name: 'abuse', program: 'abuse', options: [], brief: ['--seconds', '2'] },
  { name: 'compare', program: 'compare', options: ['--install'], brief: ['--rounds', '2'] },
  { name: 'soak', program: 'soak', options: ['--cpus', 'all'], brief: ['--minutes', '5'] },
]

const HELP = `Usage: node bench/all.ts [options]

Runs every measurement of docs/performance.md, one after the other, on the commit that is checked out, and keeps the results. The page
is brought up to date after each of them. A measurement that fails does not stop the others. Takes about three hours and 20 GB of disk,
with --brief about 40 minutes. Nothing else should run on the machine.

  --brief            fewer rounds, less history, shorter attacks
  --only LIST        only these, separated by commas (${MEASUREMENTS.map(({ name }) => name).join(', ')})
  --no-keep          prints the results and keeps none
`

const {
  brief,
  only,
  'no-keep': noKeep,
} = parseOptions(HELP, {
  brief: { type: 'boolean', default: false },
  only: { type: 'string', default: MEASUREMENTS.map(({ name }) => name).join(',') },
  'no-keep': { type: 'boolean', default: false },
})
const names = MEASUREMENTS.map(({ name }) => name)
const wanted = new Set(only.split(',').map((name) => oneOf('only', name, names)))

/** Returns how it ended, in words. */
function measure({ program, options, brief: shorter = [], processors = 1 }: Measurement): string {
  if (os.availableParallelism() < processors) return `not run: it needs ${processors} processors`
  const chosen = [...options, ...(brief ? shorter : []), ...(noKeep ? ['--no-keep'] : [])]
  process.stdout.write(`\n--- bench/${program}.ts ${chosen.join(' ')}\n`)
  const began = performance.now()
  const args = [join(import.meta.dirname, `${program}.ts`), ...chosen]
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  const minutes = `${((performance.now() - began) / 60_000).toFixed(1)} min`
  return status === 0 ? minutes : `FAILED after ${minutes} (${signal ?? `exit code ${status}`})`
}

const { commit } = provenance()
const outcomes = MEASUREMENTS.filter(({ name }) => wanted.has(name)).map((measurement) => {
  return { name: measurement.name, outcome: measure(measurement) }
})
process.stdout.write(`\nAll measurements at ${commit}:\n`)
for (const { name, outcome } of outcomes) process.stdout.write(`  ${name.padEnd(20)} ${outcome}\n`)
process.exitCode = outcomes.some(({ outcome }) => outcome.startsWith('FAILED')) ? 1 : 0
