/** The run's end of the sink process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PublishedKeys } from '../harness/verify-dkim.ts'
import type { FromSink, SinkRule, ToSink } from './arrival.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger } from './ledger.ts'

export class SinkLink {
  readonly #child: ChildProcess
  readonly #listening = Promise.withResolvers<{ port: number; dns: string }>()
  #settled: (() => void) | null = null
  #ledger: Ledger | null = null
  #log: FaultLog | null = null
  #closing = false
  /** What went wrong in the sink itself: then the run proves nothing. */
  readonly failures: string[] = []
  onFailure: (message: string) => void = () => {}

  constructor() {
    const program = fileURLToPath(new URL('./sink-process.ts', import.meta.url))
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, program], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
      // Signals of the terminal are for the run, which stops the sink last.
      detached: true,
    })
    this.#child.on('message', (message: FromSink) => this.#hear(message))
    this.#child.once('error', (error) => this.#listening.reject(error))
    this.#child.once('exit', (code, signal) => {
      this.#listening.reject(new Error(`the sink ended (${code ?? signal})`))
      if (!this.#closing) this.#fail(`the sink ended (${code ?? signal})`)
    })
  }

  /** Port of the mail servers and address of the DNS server. */
  listening(): Promise<{ port: number; dns: string }> {
    return this.#listening.promise
  }

  start(ledger: Ledger, log: FaultLog, keys: PublishedKeys, verifyShare: number): void {
    this.#ledger = ledger
    this.#log = log
    this.#say({ kind: 'start', seed: ledger.seed, keys: [...keys], verifyShare })
  }

  rule(rule: SinkRule): void {
    this.#say({ kind: 'rule', rule })
  }

  endRule(id: number): void {
    this.#say({ kind: 'end-rule', id })
  }

  dns(domain: number, answer: 'servfail' | 'silent' | 'right'): void {
    this.#say({ kind: 'dns', domain, answer })
  }

  /** Resolves when everything that has arrived so far is in the ledger. */
  async settled(): Promise<void> {
    if (!this.#child.connected) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#settled = resolve
    this.#say({ kind: 'settle' })
    await promise
  }

  async close(): Promise<void> {
    this.#closing = true
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  #say(message: ToSink): void {
    if (this.#child.connected) this.#child.send(message)
  }

  #fail(message: string): void {
    this.failures.push(message)
    this.#settled?.()
    this.onFailure(message)
  }

  #hear(message: FromSink): void {
    switch (message.kind) {
      case 'listening':
        this.#listening.resolve(message)
        break
      case 'seen':
        for (const arrival of message.arrivals) this.#ledger?.arrived(arrival)
        for (const refusal of message.refusals) this.#ledger?.refusedForGood(refusal)
        break
      case 'hit':
        this.#log?.hit(message.id, message.count)
        break
      case 'settled':
        this.#settled?.()
        break
      case 'failed':
        this.#fail(message.message)
    }
  }
}
