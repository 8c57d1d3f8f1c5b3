/** The run's end of a process that no fault touches: whom the service talks to, and what it saw. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FaultLog } from './fault-log.ts'

/** A fault that it makes by itself. */
export interface Rule {
  id: number
  /** Share of the moments concerned. */
  share: number
}

/** What every such process says beside its own. */
export type FromOtherSide<Listening> =
  | ({ kind: 'listening' } & Listening)
  /** Everything that it had seen when it was asked to settle has been said. */
  | { kind: 'settled' }
  | { kind: 'failed'; message: string }
  /** A rule struck so many times more. */
  | { kind: 'hit'; id: number; count: number }

/** What every such process is told beside its own. */
export type ToOtherSide<Strikes extends Rule> =
  | { kind: 'rule'; rule: Strikes }
  | { kind: 'end-rule'; id: number }
  /** Say at once what is not said yet; answered with `settled`. */
  | { kind: 'settle' }

type Said = { kind: string }

export abstract class OtherSide<To extends Said, From extends Said, Strikes extends Rule, Listening> {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #listening = Promise.withResolvers<Listening>()
  #settled: (() => void) | null = null
  #closing = false
  /** Of the run, once it has begun. */
  protected log: FaultLog | null = null
  onFailure: (message: string) => void = () => {}

  /** `program`: beside this file. */
  constructor(name: string, program: string) {
    this.#name = name
    const path = fileURLToPath(new URL(program, import.meta.url))
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, path], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
      // Signals of the terminal are for the run, which stops this last.
      detached: true,
    })
    this.#child.on('message', (message: From | FromOtherSide<Listening>) => this.#said(message))
    this.#child.once('error', (error) => this.#listening.reject(error))
    this.#child.once('exit', (code, signal) => {
      const ended = `the ${name} ended (${code ?? signal})`
      this.#listening.reject(new Error(ended))
      if (!this.#closing) this.#fail(ended)
    })
  }

  /** Where it listens. */
  listening(): Promise<Listening> {
    return this.#listening.promise
  }

  /** Resolves when everything that has arrived so far was heard. */
  async settled(): Promise<void> {
    if (!this.#child.connected) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#settled = resolve
    this.say({ kind: 'settle' })
    await promise
  }

  rule(rule: Strikes): void {
    this.say({ kind: 'rule', rule })
  }

  endRule(id: number): void {
    this.say({ kind: 'end-rule', id })
  }

  async close(): Promise<void> {
    this.#closing = true
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  protected say(message: To | ToOtherSide<Strikes>): void {
    if (this.#child.connected) this.#child.send(message)
  }

  protected abstract hear(message: From): void

  /** What went wrong in it: then the run proves nothing. */
  #fail(message: string): void {
    this.#settled?.()
    this.onFailure(`the ${this.#name} failed: ${message}`)
  }

  #said(message: From | FromOtherSide<Listening>): void {
    switch (message.kind) {
      case 'listening':
        this.#listening.resolve(message as Listening & Said)
        break
      case 'settled':
        this.#settled?.()
        break
      case 'failed':
        this.#fail((message as { message: string } & Said).message)
        break
      case 'hit': {
        const { id, count } = message as { id: number; count: number } & Said
        this.log?.hit(id, count)
        break
      }
      default:
        this.hear(message as From)
    }
  }
}
