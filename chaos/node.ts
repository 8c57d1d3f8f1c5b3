/** One node of the service: a process that is started again whenever it has ended, each of its lives under a name of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { now } from '../harness/clock.ts'
import type { FaultLog, Life } from './fault-log.ts'

const POSTROAD = fileURLToPath(new URL('../bin/postroad', import.meta.url))
/** Lines of a node's log that are remembered to be shown. */
const LINES = 60
/** How long a start may take, in ms. */
const START_MS = 60_000

export type Environment = Record<string, string>

export interface NodeOptions {
  name: string
  roles: ('api' | 'delivery')[]
  environment: Environment
  directory: string
  log: FaultLog
  /** Where its output is written to, null: nowhere. */
  keep: string | null
  /** Ms to wait before it is started again. */
  restartAfter: () => number
}

/** A process that ended although nobody had told it to. */
export interface Crash {
  life: string
  end: string
  lines: string[]
}

export class ChaosNode {
  readonly name: string
  readonly roles: readonly string[]
  readonly #options: NodeOptions
  readonly #file: WriteStream | null
  #child: ChildProcess | null = null
  #lines: string[] = []
  #lifeNumber = 0
  #running = false
  #loop: Promise<void> | null = null
  /** We sent the signal that ends it. */
  #told = false
  /** Null while it does not listen. */
  url: string | null = null
  /** Of the debugger, null while there is none. */
  inspector: string | null = null
  stopped = false
  life: Life | null = null
  readonly crashes: Crash[] = []
  /** Starts that did not come to listen, and what the last of them said. */
  failedStarts = 0
  lastFailedStart: string[] = []

  constructor(options: NodeOptions) {
    this.name = options.name
    this.roles = options.roles
    this.#options = options
    this.#file = options.keep === null ? null : createWriteStream(join(options.keep, `${options.name}.log`))
  }

  get pid(): number | null {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid! : null
  }

  /** Keeps it running until `end`; resolves when it listens for the first time. */
  async start(): Promise<void> {
    this.#running = true
    const first = Promise.withResolvers<void>()
    this.#loop = this.#live(first.resolve)
    const gaveUp = pause(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${this.name} does not come to listen:\n${this.#lines.join('\n')}`)
    })
    await Promise.race([first.promise, gaveUp, this.#loop.then(() => first.promise)])
  }

  async #live(onListening: () => void): Promise<void> {
    while (this.#running) {
      const listening = await this.#oneLife(onListening)
      if (!this.#running) return
      // What cannot start now (no disk, no database) is not asked too often.
      await pause(listening ? this.#options.restartAfter() : 300)
    }
  }

  /** Resolves when the process has ended: whether it had come to listen. */
  async #oneLife(onListening: () => void): Promise<boolean> {
    const name = `${this.name}-${++this.#lifeNumber}.chaos.test`
    const { environment, directory, log } = this.#options
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', POSTROAD, 'serve', '--json'], {
      cwd: directory,
      env: { ...ownEnvironment(), ...environment, POSTROAD_HOSTNAME: name },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    this.#child = child
    this.#told = false
    this.#lines = []
    const life: Life = {
      name,
      node: this.name,
      api: this.roles.includes('api'),
      from: now(),
      until: Number.POSITIVE_INFINITY,
      end: '',
    }
    this.life = life
    log.lives.set(name, life)
    let listening = false
    const hear = (line: string) => {
      if (line.startsWith('{"url"')) {
        listening = true
        this.url = (JSON.parse(line) as { url: string }).url
        onListening()
        return
      }
      if (line.startsWith('Debugger listening on ')) this.inspector = line.slice(22)
      else if (!line.startsWith('Debugger ') && !line.startsWith('For help, see')) this.#keep(line)
    }
    createInterface(child.stdout!).on('line', hear)
    createInterface(child.stderr!).on('line', hear)
    // The moment of death, before the last of its output has been read.
    child.once('exit', () => {
      life.until = now()
      this.url = null
      this.inspector = null
    })
    await ended.catch((error: unknown) => this.#keep(String(error)))
    life.until = Math.min(life.until, now())
    life.end = String(child.signalCode ?? child.exitCode)
    this.stopped = false
    if (!listening) {
      this.failedStarts++
      this.lastFailedStart = this.#lines.slice(-10)
    } else if (!this.#told) {
      this.crashes.push({ life: name, end: life.end, lines: this.#lines.slice(-20) })
    }
    return listening
  }

  #keep(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > LINES) this.#lines.shift()
    this.#file?.write(`${line}\n`)
  }

  /** False when there is no process. */
  signal(signal: NodeJS.Signals): boolean {
    if (this.pid === null) return false
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#told = true
    if (signal === 'SIGSTOP') this.stopped = true
    if (signal === 'SIGCONT') this.stopped = false
    return this.#child!.kill(signal)
  }

  /** What it said last. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** Lets the process end by itself and starts none again; killed after `ms`. Its exit code or signal. */
  async end(ms: number): Promise<string> {
    this.#running = false
    const timer = setTimeout(() => this.signal('SIGKILL'), ms)
    this.signal('SIGCONT')
    this.signal('SIGTERM')
    await this.#loop
    clearTimeout(timer)
    this.#file?.end()
    return this.life?.end ?? ''
  }

  /** At once, for good. */
  kill(): void {
    this.#running = false
    this.signal('SIGKILL')
  }
}

/** The tester's own settings must not leak in. */
export function ownEnvironment(): Environment {
  const own = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !name.startsWith('POSTROAD_') && !name.startsWith('NODE_TEST'),
  )
  return Object.fromEntries(own) as Environment
}
