// Makes sure that the dependencies are there. Plain JavaScript that Node.js 18 can run: it is what brings Node.js 24.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isForThisMachine, node, packagesIn, root, tooOld } from './platform.mjs'

export { node, root }

// Read before anything is started: who dies after that leaves us to another parent.
const parent = process.ppid

/** Installs with `npm ci` when what is there does not fit package-lock.json; else returns at once. Ends the process on failure. */
export async function ensureInstalled() {
  const why = tooOld()
  if (why !== null) {
    process.stderr.write(`${why}\n`)
    process.exit(1)
  }
  if (fits()) return
  const began = Date.now()
  process.stderr.write('Installing the dependencies (needed once) ...\n')
  const reminder = setInterval(() => {
    process.stderr.write(`... still installing (${Math.round((Date.now() - began) / 1000)} s)\n`)
  }, 15_000)
  const { code, output } = await npmCi()
  clearInterval(reminder)
  if (code !== 0 || !fits()) {
    process.stderr.write(`${output.trimEnd()}\n\n`)
    process.stderr.write(
      code === 0
        ? 'npm ci ended well, but what it installed does not fit package-lock.json. Remove node_modules and run npm ci.\n'
        : `npm ci failed (exit code ${code}); its output is above. Is the npm registry reachable?\n`,
    )
    process.exit(1)
  }
  process.stderr.write(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`)
}

/**
 * npm writes node_modules/.package-lock.json as the last step of an installation, so that it is there only after a whole one:
 * comparing it with package-lock.json tells what is missing or out of date, whoever ran npm.
 */
function fits() {
  const wanted = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !installed) return false
  for (const [path, each] of Object.entries(wanted)) {
    if (path === '') continue
    const there = installed[path]
    // Optional packages are those of other machines, too.
    if (!there && (each.optional || each.devOptional) && !isForThisMachine(each)) continue
    if (!there || there.version !== each.version) return false
  }
  return existsSync(node)
}

function npmCi() {
  // Settings of the user's own must not leave out what tests need (NODE_ENV=production), nor Node.js itself, nor let packages run
  // anything. The log level hides remarks about the older version at work here.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  args.push('--loglevel=error')
  const npm = process.env.npm_execpath
  // Not the Node.js in node_modules, which npm ci removes first.
  const own = process.env.npm_node_execpath ?? process.execPath
  const [command, before] = npm && /\.c?js$/.test(npm) ? [own, [npm]] : ['npm', []]
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
