/** `npm run chaos`: random faults under load, and a count of what was lost, doubled or wrong. See `--help`. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { currentCommit } from '../harness/results.ts'
import { Campaign } from './campaign.ts'
import { FAULT_KINDS, type FaultKind } from './fault-log.ts'
import { keptRun } from './kept-run.ts'
import { type ChaosOptions, DEFAULTS } from './options.ts'
import { defects, reportText } from './report.ts'
import { keepRun } from './results.ts'

const HELP = `Usage: npm run chaos -- [options]

Runs the service under load from both dialects, lets random faults strike it, and in the end compares every accepted
message with everything the mail servers saw and everything the store says. Ends with exit code 1 when anything was lost,
doubled outside the window between the final dot and its record, or wrong.

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

function usage(sentence: string): never {
  process.stderr.write(`${sentence}\nnpm run chaos -- --help tells more.\n`)
  process.exit(2)
}

function readOptions(args: string[]): { options: ChaosOptions; json: string | null; record: boolean } {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: {
      database: text,
      minutes: text,
      seed: text,
      faults: text,
      rate: text,
      every: text,
      verify: text,
      keep: text,
      json: text,
      record: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const number = (name: 'minutes' | 'rate' | 'every' | 'verify' | 'seed', standard: number): number => {
    const given = values[name]
    const value = given === undefined ? standard : Number(given)
    if (!Number.isFinite(value) || value < 0) usage(`--${name} ${given}: a number is needed`)
    return value
  }
  const database = values.database ?? 'sqlite'
  if (database !== 'sqlite' && database !== 'postgres')
    usage(`--database ${database}: sqlite or postgres is needed`)
  const faults = values.faults?.split(',').map((name) => name.trim()) ?? null
  const unknown = faults?.find((name) => !(FAULT_KINDS as readonly string[]).includes(name))
  if (unknown !== undefined) usage(`--faults ${unknown}: one of ${FAULT_KINDS.join(', ')} is needed`)
  return {
    json: values.json ?? null,
    record: values.record ?? false,
    options: {
      database,
      minutes: number('minutes', DEFAULTS.minutes),
      seed: Math.floor(number('seed', Math.floor(Math.random() * 2 ** 32))),
      rate: number('rate', DEFAULTS.rate),
      every: number('every', DEFAULTS.every),
      verifyShare: number('verify', DEFAULTS.verifyShare),
      faults: faults as FaultKind[] | null,
      keep: values.keep ?? null,
      patience: DEFAULTS.patience,
      onProgress: (line) => process.stdout.write(`${line}\n`),
    },
  }
}

let read: ReturnType<typeof readOptions>
try {
  read = readOptions(process.argv.slice(2))
} catch (error) {
  usage((error as Error).message)
}
const { options, json, record } = read
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
  if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`)
  if (record) process.stdout.write(`kept as ${keepRun(keptRun(report, commit))}\n`)
  process.exitCode = defects(report).length > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(
    `The run failed by itself and proves nothing (seed ${options.seed}): ${(error as Error).stack}\n`,
  )
  process.exitCode = 3
}
