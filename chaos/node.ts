/** One node of the service: a process that is started again whenever it has ended, each of its lives under a name of its own. */
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../harness/clock.ts'
import type { Installation, Settings } from '../harness/service/installation.ts'
import type { ServiceChild } from '../harness/service/service-child.ts'
import type { FaultLog, Life } from './fault-log.ts'
import { sourceSetting } from './source-addresses.ts'

/** How long a start may take, in ms. */
const START_MS = 60_000

export interface NodeOptions {
  name: string
  roles: ('api' | 'delivery')[]
  /** Addresses that mail leaves from; none: the system chooses. */
  sources: readonly string[]
  installation: Installation
  /** Added to those of the installation. */
  settings: Settings
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

/** Each life has a name of its own, which servers see in EHLO. */
export const hostName = (node: string, life: number) => `${node}-${life}.chaos.test`

export class ChaosNode {
  readonly name: string
  readonly roles: readonly string[]
  readonly #options: NodeOptions
  readonly #file: WriteStream | null
  #child: ServiceChild | null = null
  #lifeNumber = 0
  #running = false
  #loop: Promise<void> | null = null
  /** We sent the signal that ends it. */
  #told = false
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

  /** Null while there is no process. */
  get pid(): number | null {
    return this.#child?.alive ? this.#child.pid : null
  }

  /** Null while it does not listen. */
  get url(): string | null {
    return (this.#child?.alive && this.#child.url) || null
  }

  /** Where it takes mail in over SMTP; null while it does not. */
  get submissionPort(): number | null {
    return this.url === null || this.#child!.submissionUrls.length === 0 ? null : this.#child!.submissionPort
  }

  /** Where it takes mail that comes back; null while it does not. */
  get bouncePort(): number | null {
    return this.url === null || this.#child!.bounceUrls.length === 0 ? null : this.#child!.bouncePort
  }

  /** Of the debugger, null while there is none. */
  get inspector(): string | null {
    return this.#child?.alive ? this.#child.inspector : null
  }

  /** Keeps it running until `end`; resolves when it listens for the first time. */
  async start(): Promise<void> {
    this.#running = true
    const first = Promise.withResolvers<void>()
    this.#loop = this.#live(first.resolve)
    const gaveUp = pause(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${this.name} does not come to listen:\n${this.lines.join('\n')}`)
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
    const name = hostName(this.name, ++this.#lifeNumber)
    const { installation, settings, log, sources } = this.#options
    this.#told = false
    const child = await installation.start({
      prefix: ['setpriv', '--pdeathsig', 'KILL'],
      settings: {
        ...settings,
        POSTROAD_HOSTNAME: name,
        ...(sources.length > 0 && { POSTROAD_SOURCE_ADDRESSES: sourceSetting(sources, name) }),
      },
      onLine: (line) => this.#file?.write(`${line}\n`),
    })
    this.#child = child
    if (!this.#running) child.signal('SIGKILL')
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
    child.listening().then(onListening, () => {})
    await child.ended().catch(() => {})
    life.until = now()
    life.end = String(child.end)
    this.stopped = false
    const lines = await child.lastLines()
    if (child.url === '') {
      this.failedStarts++
      this.lastFailedStart = lines.slice(-10)
      return false
    }
    if (!this.#told) this.crashes.push({ life: name, end: life.end, lines: lines.slice(-20) })
    return true
  }

  /** False when there is no process. */
  signal(signal: NodeJS.Signals): boolean {
    if (this.pid === null) return false
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#told = true
    if (signal === 'SIGSTOP') this.stopped = true
    if (signal === 'SIGCONT') this.stopped = false
    return this.#child!.signal(signal)
  }

  /** What it said last. */
  get lines(): readonly string[] {
    return this.#child?.log ?? []
  }

  /** Lets the process end by itself and starts none again; killed after `ms`. Its exit code or signal, 0 if there was no process. */
  async end(ms: number): Promise<string> {
    this.#running = false
    const hadProcess = this.pid !== null
    const wasUp = this.url !== null
    const timer = setTimeout(() => this.signal('SIGKILL'), ms)
    this.signal('SIGCONT')
    this.signal('SIGTERM')
    await this.#loop
    clearTimeout(timer)
    this.#file?.end()
    // Between two lives, `life` is the one before, which a fault may have killed.
    if (!hadProcess) return '0'
    const { end } = this.life!
    // A process that does not listen yet has nothing to stop, and may not handle the signal yet.
    return !wasUp && end === 'SIGTERM' ? '0' : end
  }

  /** At once, for good. */
  kill(): void {
    this.#running = false
    this.signal('SIGKILL')
  }
}
