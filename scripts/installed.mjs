// Makes sure that the dependencies are there. Plain JavaScript that Node.js 18 can run: it is what brings Node.js 24.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isForThisMachine, node, packagesIn, root, tooOld } from './platform.mjs'

export { node, root }

const lockFile = join(root, 'package-lock.json')

// Read before anything is started: who dies after that leaves us to another parent.
const parent = process.ppid

/** What the page was built with beside the service: a copy of the lock file that its packages were installed by. */
const pageLock = join(root, 'node_modules', '.page-lock.json')

/** What can be installed; each part is added to those that are there. */
const PARTS = {
  /** What the service needs to run. */
  service: { fits: () => fits((each) => !each.dev), options: ['--omit=dev'] },
  /** What builds the page of the console. */
  page: {
    fits: () => PARTS.all.fits() || isCopy(pageLock, lockFile),
    options: ['--include=dev', '--workspace=console'],
    done: () => copyFileSync(lockFile, pageLock),
  },
  /** What tests, checks and benchmarks need as well. */
  all: { fits: () => fits(() => true), options: ['--include=dev'] },
}

/** Installs a part when what is there does not fit package-lock.json; else returns at once. Ends the process on failure. */
export async function ensureInstalled(part = 'all') {
  const why = tooOld()
  if (why !== null) {
    process.stderr.write(`${why}\n`)
    process.exit(1)
  }
  const { fits: isInstalled, options, done = () => {} } = PARTS[part]
  if (isInstalled()) return
  const began = Date.now()
  process.stderr.write('Installing the dependencies (needed once) ...\n')
  const reminder = setInterval(() => {
    process.stderr.write(`... still installing (${Math.round((Date.now() - began) / 1000)} s)\n`)
  }, 15_000)
  // `npm ci` begins by removing everything, also from under a service that runs.
  const command = PARTS.service.fits() ? ['install', '--no-save'] : ['ci']
  const { code, output } = await npm([...command, ...options])
  clearInterval(reminder)
  if (code === 0) done()
  if (code !== 0 || !isInstalled()) {
    process.stderr.write(`${output.trimEnd()}\n\n`)
    process.stderr.write(
      code === 0
        ? 'npm ended well, but what it installed does not fit package-lock.json. Remove node_modules and run npm ci.\n'
        : `npm ${command[0]} failed (exit code ${code}); its output is above. Is the npm registry reachable?\n`,
    )
    process.exit(1)
  }
  process.stderr.write(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`)
}

/**
 * npm writes node_modules/.package-lock.json as the last step of an installation, so that it is there only after a whole one:
 * comparing it with package-lock.json tells what is missing or out of date, whoever ran npm.
 */
function fits(isNeeded) {
  const wanted = packagesIn(lockFile)
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !installed) return false
  for (const [path, each] of Object.entries(wanted)) {
    if (path === '' || !isNeeded(each)) continue
    const there = installed[path]
    // Optional packages are those of other machines, too.
    if (!there && (each.optional || each.devOptional) && !isForThisMachine(each)) continue
    if (!there || there.version !== each.version) return false
  }
  return existsSync(node)
}

function isCopy(copy, original) {
  return existsSync(copy) && readFileSync(copy).equals(readFileSync(original))
}

function npm(given) {
  // Settings of the user's own must not leave out what is needed (NODE_ENV=production), nor Node.js itself, nor let packages run
  // anything. The log level hides remarks about the older version at work here.
  const args = [
    ...given,
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const program = process.env.npm_execpath
  // Not the Node.js in node_modules, which npm ci removes first.
  const own = process.env.npm_node_execpath ?? process.execPath
  const [command, before] = program && /\.c?js$/.test(program) ? [own, [program]] : ['npm', []]
  return collect(spawn(command, [...before, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** How a child ends, with all it has said. */
export function collect(child) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text) => {
      output += text
    })
  }
  return new Promise((done) => {
    child.on('error', (error) =>
      done({ code: 1, output: `${child.spawnfile} cannot be started: ${error.message}` }),
    )
    child.on('close', (code, signal) => done({ code: code ?? 1, signal, output }))
  })
}

/**
 * Runs a program with this one's terminal, passing signals on; resolves with its exit code (128 + number for a signal). When the npm
 * that runs this is killed outright, the program is told to stop: nothing is left behind that holds port and database.
 */
export function runThrough(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  const forward = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  const watch = setInterval(() => {
    if (!process.env.npm_lifecycle_event || process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 500)
  return new Promise((done) => {
    child.on('error', (error) => {
      clearInterval(watch)
      process.stderr.write(`${command} cannot be started: ${error.message}\n`)
      done(1)
    })
    child.on('close', (code, signal) => {
      clearInterval(watch)
      for (const each of signals) process.removeListener(each, forward)
      done(code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1))
    })
  })
}
