/** A program of a compared system. It is pinned to its CPUs, and its output is kept in case it fails. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pinning } from '../service/pinned-process.ts'

/** Ms a program has to end by itself before it is killed. */
const GRACE = 10_000

/**
 * Open files a program may have. Daemons that close every descriptor they could have inherited take seconds for it where the limit is
 * in the millions, as it is in many containers.
 */
const OPEN_FILES = 8_192

/** Characters of output that are kept. */
const KEPT = 8_000

export class Child {
  readonly pid: number
  readonly #process: ChildProcess
  #output = ''

  constructor(cpus: string, command: string[], options: { cwd: string; env?: Record<string, string> }) {
    const limited = ['sh', '-c', `ulimit -n ${OPEN_FILES}; exec "$@"`, 'sh', ...command]
    const [file, ...args] = [...pinning(cpus), ...limited]
    this.#process = spawn(file!, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT)
      })
    }
    this.#process.on('error', (error) => {
      this.#output += String(error)
    })
    this.pid = this.#process.pid ?? -1
  }

  get alive(): boolean {
    return this.pid > 0 && this.#process.exitCode === null && this.#process.signalCode === null
  }

  get output(): string {
    return this.#output
  }

  async stop(): Promise<void> {
    if (!this.alive) return
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), GRACE)
    await gone
    clearTimeout(killer)
  }
}
