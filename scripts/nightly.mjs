// npm run nightly: what the gate (.ci/run) does a short form of, at length and at random: tests on PostgreSQL that the contract of the
// store stands for, the costliest requests, many messages to Postfix, faults on both databases, and the fuzzer. Seeds are printed: a run
// that fails can be repeated.
// --minutes N: of faults on each database (10), and a tenth of that for each target of the fuzzer.
import { ensureInstalled, node, runThrough } from './installed.mjs'
import { NIGHTLY } from './on-postgres.mjs'

await ensureInstalled()

const at = process.argv.indexOf('--minutes')
const minutes = at < 0 ? 10 : Number(process.argv[at + 1])
if (!(minutes > 0)) {
  process.stderr.write('nightly: --minutes needs a number above 0\n')
  process.exit(2)
}
const fuzz = ['fuzz/run.ts', '--seconds', String(Math.ceil(minutes * 6))]
const chaos = (database) => ['chaos/run.ts', '--database', database, '--minutes', String(minutes)]
const parts = [
  ['tests on PostgreSQL', ['scripts/test.mjs', ...NIGHTLY], { POSTROAD_TEST_ENGINE: 'postgres' }],
  ['the costliest requests', ['scripts/test.mjs', 'test/http/costliest'], { POSTROAD_TEST_LENGTH: 'long' }],
  [
    'ten thousand messages',
    ['scripts/test.mjs', 'test/peers/many.test.ts'],
    { POSTROAD_TEST_LENGTH: 'long' },
  ],
  ['faults on SQLite', chaos('sqlite')],
  ['faults on PostgreSQL', chaos('postgres')],
  ['fuzz', fuzz],
]
const failed = []
for (const [name, args, environment = {}] of parts) {
  process.stdout.write(`--- ${name}\n`)
  const code = await runThrough(node, args, { env: { ...process.env, ...environment } })
  if (code !== 0) failed.push(name)
}
process.stdout.write(failed.length === 0 ? 'All passed.\n' : `FAILED: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
