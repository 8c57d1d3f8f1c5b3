/** Starts the parts of a measurement as separate processes, pinned to their CPUs, and sends them orders. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

const tasksetWorks = spawnSync('taskset', ['-V']).status === 0

/** The beginning of a command line that pins the process to `cpus` (in the form of taskset, `0,1` or `0-3`); empty where taskset is missing. */
export function pinning(cpus: string): string[] {
  return tasksetWorks && cpus !== 'all' ? ['taskset', '-c', cpus] : []
}

export const canPin = tasksetWorks

interface Answer {
  ready?: boolean
  port?: number
  report?: unknown
}

/** A child that answers each order with one report. */
export class PinnedProcess {
  readonly #child: ChildProcess
  #answers: (Answer & { error?: string })[] = []
  #wake: (() => void) | undefined

  constructor(cpus: string, script: URL) {
    const [file, ...args] = [...pinning(cpus), process.execPath, script.pathname]
    this.#child = spawn(file, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    this.#child.on('message', (answer: object) => {
      this.#answers.push(answer)
      this.#wake?.()
    })
    this.#child.on('exit', (code, signal) => {
      this.#answers.push({ error: `${script.pathname} ended with ${code ?? signal}` })
      this.#wake?.()
    })
    // The process could not be started, or an order was sent after its end.
    this.#child.on('error', (error) => {
      this.#answers.push({ error: `${script.pathname}: ${error.message}` })
      this.#wake?.()
    })
  }

  /** Sends the order, and returns its first answer. */
  async ask(order: object): Promise<Answer> {
    this.#child.send(order)
    return await this.hear()
  }

  /** The next answer, for orders that have more than one. */
  async hear(): Promise<Answer> {
    while (this.#answers.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const answer = this.#answers.shift()!
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  async report<Report>(order: object): Promise<Report> {
    return (await this.ask(order)).report as Report
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const gone = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await gone
  }
}
