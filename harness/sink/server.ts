/** An SMTP server that accepts everything unless its hooks say otherwise. It is cheap enough never to limit a measurement. */
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, createServer as createTlsServer } from 'node:tls'
import type { SinkHooks } from './hooks.ts'
import { type SessionOptions, SinkSession } from './session.ts'

export interface ServerOptions {
  host?: string
  /** 0: any free port. */
  port?: number
  /** Name in the greeting. */
  name?: string
  /** EHLO keywords offered. Default: all that need no set-up. */
  offers?: readonly string[]
  /** PEM certificate and key: offers STARTTLS, or speaks TLS from the first octet. */
  tls?: { cert: string | Buffer; key: string | Buffer; implicit?: boolean }
}

const OFFERS = ['PIPELINING', 'SIZE 52428800', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']

export class SinkServer {
  port: number
  /** Connections so far. */
  connections = 0
  readonly #hooks: SinkHooks
  readonly #options: ServerOptions
  readonly #ofSessions: SessionOptions
  readonly #sessions = new Set<SinkSession>()
  #server: net.Server | null = null

  constructor(options: ServerOptions, hooks: SinkHooks) {
    const { port = 0, name = 'sink.test', offers = OFFERS, tls } = options
    this.#options = options
    this.port = port
    this.#ofSessions = { name, offers, secureContext: tls && !tls.implicit ? createSecureContext(tls) : null }
    this.#hooks = hooks
  }

  /** Sessions that are open now. */
  get sessions(): ReadonlySet<SinkSession> {
    return this.#sessions
  }

  /** Listens; after `close` on the same port again. */
  async listen(): Promise<void> {
    const { host = '127.0.0.1', tls } = this.#options
    const welcome = (socket: Socket) => this.#welcome(socket)
    const server = tls?.implicit
      ? createTlsServer({ cert: tls.cert, key: tls.key, noDelay: true }, welcome)
      : net.createServer({ noDelay: true }, welcome)
    server.on('tlsClientError', () => {})
    this.#server = server
    server.listen({ port: this.port, host, backlog: 1_000 })
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
  }

  /** Stops listening, and cuts every session. */
  async close(): Promise<void> {
    const server = this.#server
    if (server === null) return
    this.#server = null
    const closed = once(server, 'close')
    server.close()
    for (const session of this.#sessions) session.cut()
    await closed
  }

  #welcome(socket: Socket): void {
    const session = new SinkSession(this.#ofSessions, this.#hooks, socket, ++this.connections)
    this.#sessions.add(session)
    socket.once('close', () => {
      this.#sessions.delete(session)
      this.#hooks.closed?.(session)
    })
    session.greet()
  }
}
