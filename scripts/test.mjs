// npm test: installs what is missing, then runs the tests. Arguments after -- go to `node --test`: files, folders, or options
// in the form --name=value; --changed[=COMMIT] runs what a change touches (changed.mjs). Files that need no
// process of their own share one (groups.mjs). One PostgreSQL server serves all files; the
// variable POSTROAD_TEST_POSTGRES names another one. Without arguments, what touches the engine (on-postgres.mjs) runs on SQLite and
// on PostgreSQL; POSTROAD_TEST_ENGINE=postgres puts any test of the service there.
import { spawn } from 'node:child_process'
import { closeSync, createReadStream, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { runChanged } from './changed.mjs'
import { grouped } from './groups.mjs'
import { ensureInstalled, node, root, runThrough } from './installed.mjs'
import { GATE } from './on-postgres.mjs'

await ensureInstalled()

const given = process.argv.slice(2)
const CHANGED = /^--changed(?:=(.+))?$/
const changed = given.map((argument) => CHANGED.exec(argument)).find((found) => found !== null)
const options = given.filter((argument) => argument.startsWith('-') && !CHANGED.test(argument))
const places = given.filter((argument) => !argument.startsWith('-'))
const files = (places.length > 0 ? places : ['test']).flatMap(testFiles)
if (files.length === 0) {
  process.stderr.write(`No test files (*.test.ts) in ${places.join(', ')}.\n`)
  process.exit(1)
}
// Half of the time of a test goes by in waiting; more files than this at once take more processor time and end no sooner.
const processors = typeof availableParallelism === 'function' ? availableParallelism() : cpus().length
const atOnce = Math.max(2, Math.min(8, processors - 1))

// Programs that tests start run as they do at operators, and start sooner. A run of a few files does without: bin/postroad takes the sources.
const whole = places.length === 0 && !changed
if (whole) await runThrough(node, [join(root, 'scripts', 'build-program.ts')])

const server = await postgresServer()
try {
  const environment = {
    // Each file compiles the same modules: half of its start.
    NODE_COMPILE_CACHE: join(root, '.cache', 'node'),
    ...process.env,
    ...(whole && { POSTROAD_TEST_BUILT: join(root, 'dist') }),
    ...(server && { POSTROAD_TEST_POSTGRES: server.url }),
  }
  // Beside the others, one file after the other: much of its time goes by in waiting.
  const onPostgres = whole && server ? runOnPostgres(environment) : null
  try {
    process.exitCode = changed
      ? await runChanged(changed[1] ?? 'HEAD', files, (some) => run(some, environment))
      : await run(files, environment)
  } finally {
    process.exitCode = Math.max(process.exitCode ?? 1, (await onPostgres?.()) ?? 0)
  }
} finally {
  server?.end()
}

async function run(tests, env, { filesAtOnce = atOnce, stdio = 'inherit' } = {}) {
  const preloaded = pathToFileURL(join(root, 'scripts', 'test-process.mjs')).href
  const limits = [`--test-concurrency=${filesAtOnce}`, '--test-timeout=300000', `--import=${preloaded}`]
  const { files, remove } = grouped(tests)
  try {
    return await runThrough(node, ['--test', ...limits, ...options, ...files], { env, stdio })
  } finally {
    remove()
  }
}

/** The function that it returns waits for the end, shows the output, and resolves with the exit code. */
function runOnPostgres(environment) {
  const folder = mkdtempSync(join(tmpdir(), 'postroad-tests-'))
  const path = join(folder, 'output')
  const output = openSync(path, 'w')
  const env = { ...environment, POSTROAD_TEST_ENGINE: 'postgres' }
  const stdio = ['ignore', output, output]
  const ended = run(GATE.flatMap(testFiles), env, { filesAtOnce: 1, stdio })
  return async () => {
    const code = await ended
    closeSync(output)
    process.stdout.write('\nOnce more on PostgreSQL, what touches the engine:\n')
    await pipeline(createReadStream(path), process.stdout, { end: false })
    rmSync(folder, { recursive: true })
    return code
  }
}

/** The server ends when we do, also by kill -9. Null when there is none to start: each test that needs it says why. */
async function postgresServer() {
  const given = process.env.POSTROAD_TEST_POSTGRES
  if (given) return { url: given, end() {} }
  const program = spawn(node, ['harness/postgres-cluster.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await new Promise((done) => {
    createInterface(program.stdout)
      .once('line', done)
      .once('close', () => done(null))
  })
  if (line === null) return null
  return { url: JSON.parse(line).url, end: () => program.stdin.end() }
}

function testFiles(place) {
  const path = resolve(root, place)
  const kind = statSync(path, { throwIfNoEntry: false })
  if (!kind) {
    process.stderr.write(`There is no ${place} in ${root}.\n`)
    process.exit(2)
  }
  if (kind.isFile()) return [relative(root, path)]
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return testFiles(join(path, entry.name))
      return entry.name.endsWith('.test.ts') ? [relative(root, join(path, entry.name))] : []
    })
}
