/** An option that cannot be used ends a measurement before it begins, with a sentence: no stack, and no figures of something else. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { countCpus } from '../../bench/options.ts'
import { canPin } from '../../bench/service/pinned-process.ts'

const BENCH = new URL('../../bench/', import.meta.url)

/** All that measure: modules of that folder with a page of help. */
const PROGRAMS = readdirSync(BENCH)
  .filter((name) => name.endsWith('.ts') && readFileSync(new URL(name, BENCH), 'utf8').includes('`Usage: '))
  .map((name) => name.replace('.ts', ''))

interface Ended {
  status: number | null
  said: string
  printed: string
}

function run(program: string, ...options: string[]): Promise<Ended> {
  const path = new URL(`../../bench/${program}.ts`, import.meta.url).pathname
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [path, ...options], { timeout: 60_000 }, (_, printed, said) =>
      resolve({ status: child.exitCode, said, printed }),
    )
  })
}

test('an unusable option is reported in one line', async () => {
  const wrong: [string, string[], RegExp][] = [
    ['run', ['--nope'], /^Unknown option '--nope'/],
    ['growth', ['--messages', '0'], /^--messages 0: a whole number from 1 on is needed/],
    ['run', ['--set', 'POSTROAD_CONCURRENCY'], /^--set POSTROAD_CONCURRENCY: NAME=VALUE is needed/],
    ['run', ['--sink', 'quick'], /^sink behaviour "quick" is not understood/],
    ['run', ['--database', 'mysql'], /^--database mysql: sqlite, postgres, or a postgres:\/\/ URL is needed/],
    ['soak', ['--minutes', '-1'], /^--minutes -1: a number above 0 is needed|'--minutes'/],
    ['compare', ['--systems', 'exim'], /^--systems exim: one of/],
    ['abuse', ['--attack', 'kindness'], /^--attack kindness: one of nothing, /],
    ['abuse', ['--memory', 'much'], /needs a number and a unit/],
    ['beside', ['/nowhere'], /^Name the directory of another checkout/],
    ['beside', ['--only', 'drinking', '.'], /^--only drinking: one of accept-1, /],
  ]
  // Where nothing can be pinned, CPUs are not looked at.
  if (canPin && os.availableParallelism() > 1) {
    wrong.push(['run', ['--cpus', '4000'], /^--cpus 4000: not all of these can be used here/])
  }
  const ended = await Promise.all(wrong.map(([program, options]) => run(program, ...options)))
  for (const [index, { status, said, printed }] of ended.entries()) {
    const sentence = wrong[index]![2]
    assert.match(said, sentence)
    assert.doesNotMatch(said, /\n {4}at /)
    assert.equal(printed, '')
    assert.equal(status, 2)
  }
})

test('each program prints its usage with --help', async () => {
  // The one that is missing here is run below.
  const programs = PROGRAMS.filter((program) => program !== 'growth')
  const ended = await Promise.all(programs.map((program) => run(program, '--help')))
  for (const [index, { status, said, printed }] of ended.entries()) {
    assert.match(printed, new RegExp(`^Usage: node bench/${programs[index]}\\.ts`))
    assert.equal(said, '')
    assert.equal(status, 0)
  }
})

test('CPUs are counted as taskset writes them', () => {
  assert.equal(countCpus('0,1'), 2)
  assert.equal(countCpus('0-3'), 4)
  assert.equal(countCpus('0,2-4,3'), 4)
  assert.equal(countCpus('first'), Number.NaN)
})

test('npm runs each of them, whatever Node.js the machine has', async () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>
  }
  const measuring = Object.entries(scripts).filter(([name]) => name.startsWith('bench'))
  assert.deepEqual(
    measuring.map(([, command]) => command).sort(),
    PROGRAMS.map((program) => `exec node scripts/run.mjs bench/${program}.ts`).sort(),
  )
  const script = new URL('../../scripts/run.mjs', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'bench/growth.ts', '--help'])
  assert.match(stdout, /^Usage: node bench\/growth\.ts/)
})
