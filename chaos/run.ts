/** `npm run chaos`: random faults under load, and a count of what was lost, doubled or wrong. See `--help`. */
import { writeFileSync } from 'node:fs'
import { oneOf, parseOptions, refuse } from '../harness/options.ts'
import { currentCommit } from '../harness/results.ts'
import { Campaign } from './campaign.ts'
import { FAULT_KINDS } from './fault-log.ts'
import { keptRun } from './kept-run.ts'
import { type ChaosOptions, DEFAULTS } from './options.ts'
import { defects, reportText } from './report.ts'
import { keepRun } from './results.ts'

const HELP = `Usage: npm run chaos -- [options]

Runs the service under load from both dialects and over SMTP, with reports about its messages that come back, lets random faults
strike it, and in the end compares every accepted message and report with everything the mail servers saw and everything the store
says. Ends with exit code 1 when anything was lost, doubled outside the window between the final dot and its record, or wrong.

  --database KIND   sqlite or postgres (sqlite)
  --minutes N       how long faults strike (${DEFAULTS.minutes})
  --seed S          the same seed chooses the same faults and messages (a random one, printed)
  --faults LIST     only these kinds, separated by commas:
                    ${FAULT_KINDS.join(', ').replaceAll(/(.{60,80}?), /g, '$1,\n                    ')}
  --rate R          requests a second (${DEFAULTS.rate})
  --every S         mean seconds from one fault to the next (${DEFAULTS.every})
  --verify SHARE    share of the messages whose DKIM signatures are verified (${DEFAULTS.verifyShare})
  --keep DIR        keep the logs of nodes and faults here
  --json FILE       write the report as JSON
  --record          keep the figures of this run in chaos/results and put them into docs/reliability.md
`

const text = { type: 'string' } as const
const values = parseOptions(HELP, {
  database: { type: 'string', default: 'sqlite' },
  minutes: text,
  seed: text,
  faults: text,
  rate: text,
  every: text,
  verify: text,
  keep: text,
  json: text,
  record: { type: 'boolean', default: false },
})

function number(name: 'minutes' | 'rate' | 'every' | 'verify' | 'seed', standard: number): number {
  const given = values[name]
  const value = given === undefined ? standard : Number(given)
  return Number.isFinite(value) && value >= 0 ? value : refuse(`--${name} ${given}: a number is needed`)
}

const options: ChaosOptions = {
  database: oneOf('database', values.database, ['sqlite', 'postgres']),
  minutes: number('minutes', DEFAULTS.minutes),
  seed: Math.floor(number('seed', Math.floor(Math.random() * 2 ** 32))),
  rate: number('rate', DEFAULTS.rate),
  every: number('every', DEFAULTS.every),
  verifyShare: number('verify', DEFAULTS.verifyShare),
  faults: values.faults?.split(',').map((name) => oneOf('faults', name.trim(), FAULT_KINDS)) ?? null,
  keep: values.keep ?? null,
  patience: DEFAULTS.patience,
  onProgress: (line) => process.stdout.write(`${line}\n`),
}
/** Of what runs, not of what lies here when it has ended. */
const commit = currentCommit()
process.stdout.write(`seed ${options.seed}\n`)
const campaign = new Campaign(options)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    process.stdout.write('ending the faults and counting; once more gives up\n')
    campaign.interrupt()
  })
}
try {
  const report = await campaign.run()
  process.stdout.write(`${reportText(report)}\n`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`)
  if (values.record) process.stdout.write(`kept as ${keepRun(keptRun(report, commit))}\n`)
  process.exitCode = defects(report).length > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(
    `The run failed by itself and proves nothing (seed ${options.seed}): ${(error as Error).stack}\n`,
  )
  process.exitCode = 3
}
