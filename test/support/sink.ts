/**
 * An SMTP server that accepts everything unless a script says otherwise. Tests await what arrives, answer each step of the dialogue
 * as they like (refuse, delay, hang, cut), and are called at each step, so that a process can be killed exactly there.
 * Without recording it only counts, fast enough to stand behind a benchmark.
 */
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Script, SinkMessage } from './sink-dialogue.ts'
import { Session } from './sink-session.ts'

export type { Moment, Reaction, Script, SinkMessage, Step } from './sink-dialogue.ts'

export interface SinkOptions {
  port?: number
  host?: string
  /** Name in the greeting. */
  name?: string
  script?: Script
  /** EHLO keywords offered. Default: all that need no set-up. */
  offers?: readonly string[]
  /** PEM certificate and key: offers STARTTLS, or speaks TLS from the first octet. */
  tls?: { cert: string | Buffer; key: string | Buffer; implicit?: boolean }
  /** Called instead of recording: only counts, keeps no octets. `size` is as it came over the wire. */
  count?: (recipients: readonly string[], size: number) => void
}

/** How long the awaiting functions wait before they fail with a report. */
const PATIENCE = 30_000

interface Waiter {
  ready: () => boolean
  resolve: () => void
}

export class Sink {
  /** Messages whose final dot arrived and was not refused, in order of arrival. */
  readonly messages: SinkMessage[] = []
  /** Messages whose final dot was answered with 4xx or 5xx. */
  readonly refused: SinkMessage[] = []
  /** Every line of every dialogue: `<session> C: ...` and `<session> S: ...`. Not kept when counting. */
  readonly dialogue: string[] = []
  script: Script | undefined
  /** Connections opened so far. */
  connections = 0
  readonly #options: SinkOptions
  readonly #sessions = new Set<Session>()
  readonly #waiters = new Set<Waiter>()
  #server: net.Server | undefined
  #port = 0
  #taken = 0

  constructor(options: SinkOptions) {
    this.#options = options
    this.script = options.script
    this.#port = options.port ?? 0
  }

  get port(): number {
    return this.#port
  }

  /** Sessions open now. */
  get open(): number {
    return this.#sessions.size
  }

  get options(): SinkOptions {
    return this.#options
  }

  /** Listens; after `close` on the same port again. */
  async listen(): Promise<void> {
    const { tls, host = '127.0.0.1' } = this.#options
    const accept = (socket: Socket) => {
      this.connections++
      const session = new Session(this, socket, this.connections)
      this.#sessions.add(session)
      socket.once('close', () => {
        this.#sessions.delete(session)
        this.noticed()
      })
      session.greet()
    }
    const server = tls?.implicit
      ? createTlsServer({ cert: tls.cert, key: tls.key }, accept)
      : net.createServer(accept)
    server.on('tlsClientError', () => {})
    this.#server = server
    server.listen(this.#port, host)
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
  }

  /** Stops listening and cuts every session. */
  async close(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    for (const session of this.#sessions) session.cut()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** The next message not yet handed out. */
  async next(): Promise<SinkMessage> {
    const index = this.#taken++
    await this.when(() => this.messages.length > index, `message ${index + 1}`)
    return this.messages[index]!
  }

  /** Resolves as soon as `n` messages have arrived altogether. */
  async until(n: number): Promise<SinkMessage[]> {
    await this.when(() => this.messages.length >= n, `${n} messages`)
    return this.messages
  }

  /** The first message that has `recipient` in its envelope. */
  async messageFor(recipient: string): Promise<SinkMessage> {
    const find = () => this.messages.find((message) => message.recipients.includes(recipient))
    await this.when(() => find() !== undefined, `a message for ${recipient}`)
    return find()!
  }

  /** Resolves when `ready` holds; looked at after every step and the end of every dialogue. Fails with what was seen after 30 s. */
  async when(ready: () => boolean, what: string): Promise<void> {
    if (ready()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { ready, resolve }
    const tail = () => this.dialogue.slice(-40).join('\n')
    const timer = setTimeout(
      () =>
        reject(new Error(`the sink waited for ${what}, has ${this.messages.length}; last lines:\n${tail()}`)),
      PATIENCE,
    )
    this.#waiters.add(waiter)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
    }
  }

  /** For sessions: something happened. */
  noticed(): void {
    for (const waiter of this.#waiters) if (waiter.ready()) waiter.resolve()
  }
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const sink = new Sink(options)
  await sink.listen()
  return sink
}
