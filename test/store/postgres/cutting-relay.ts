import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/**
 * Where the connection is cut: before the request that bears the mark reaches the server, or before its answer comes back. `held`: the
 * store loses its connection, the server waits for a request that is still on its way until it is let through.
 */
export type Cut = 'request' | 'answer' | 'held'

/** Stands between a store and its server, and cuts connections at a chosen moment. */
export class CuttingRelay {
  /** The database's URL by way of the relay. */
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #mark: { text: string; cut: Cut } | null = null
  #closed = false
  #onCut: (() => void) | null = null
  #held: { server: Socket; request: Buffer } | null = null

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async start(context: TestContext, database: string): Promise<CuttingRelay> {
    const target = new URL(database)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const url = new URL(database)
    url.host = `127.0.0.1:${port}`
    const relay = new CuttingRelay(server, url.href)
    server.on('connection', (socket) => relay.#relay(socket, Number(target.port || 5432), target.hostname))
    context.after(() => relay.#stop())
    return relay
  }

  /** The next request that holds this text loses its connection. Resolves when that has happened. */
  cutNext(text: string, cut: Cut): Promise<void> {
    this.#mark = { text, cut }
    return new Promise((resolve) => {
      this.#onCut = resolve
    })
  }

  /** No connection gets through any more: open ones are cut, new ones refused. */
  close(): void {
    this.#closed = true
    for (const socket of this.#sockets) socket.destroy()
  }

  reopen(): void {
    this.#closed = false
  }

  /** The request that was held reaches the server. Resolves when that has answered. */
  async letThrough(): Promise<void> {
    const { server, request } = this.#held!
    this.#held = null
    const answered = once(server, 'data')
    server.write(request)
    await answered
    server.destroy()
  }

  #relay(client: Socket, port: number, host: string): void {
    if (this.#closed) {
      client.destroy()
      return
    }
    const server = connect(port, host)
    let cutting = false
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        client.destroy()
        // The server notices by itself, and completes its statement.
        if (this.#held?.server !== server) server.end()
      })
    }
    client.on('data', (request) => {
      const mark = this.#mark
      if (mark !== null && request.includes(mark.text)) {
        this.#mark = null
        if (mark.cut === 'held') {
          this.#held = { server, request }
          this.#sockets.delete(server)
        }
        if (mark.cut !== 'answer') {
          client.destroy()
          this.#onCut?.()
          return
        }
        cutting = true
      }
      server.write(request)
    })
    server.on('data', (answer) => {
      if (!cutting) {
        client.write(answer)
        return
      }
      client.destroy()
      this.#onCut?.()
    })
  }

  #stop(): void {
    this.close()
    this.#held?.server.destroy()
    this.#server.close()
  }
}
