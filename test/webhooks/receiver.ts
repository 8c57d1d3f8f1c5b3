/** A receiver of webhooks: an HTTP server on a loopback port that keeps its requests, and answers as the test says. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** `performance.now()` of its end. */
  at: number
}

/** A status, or null for no answer at all; with a text, the body of the answer. */
export type Answer = number | { status: number; body?: string; headers?: Record<string, string> } | null

export class Receiver implements AsyncDisposable {
  readonly #server: Server
  readonly received: Received[] = []
  /** What the next one is answered. */
  answer: (received: Received) => Answer | Promise<Answer> = () => 200
  #heard = Promise.withResolvers<void>()

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param port 0: a free one */
  static async start(port = 0): Promise<Receiver> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', async () => {
        const { url: path = '', headers } = request
        const received = { path, headers, body: Buffer.concat(parts).toString(), at: performance.now() }
        receiver.received.push(received)
        receiver.#tell()
        const answer = await receiver.answer(received)
        if (answer === null) return
        const {
          status,
          body = '',
          headers: more = {},
        } = typeof answer === 'number' ? { status: answer } : answer
        response.writeHead(status, more).end(body)
      })
    })
    const receiver = new Receiver(server)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  #tell(): void {
    this.#heard.resolve()
    this.#heard = Promise.withResolvers()
  }

  /** As soon as this is so of all that came. */
  async until(isSo: (received: Received[]) => boolean): Promise<Received[]> {
    while (!isSo(this.received)) await this.#heard.promise
    return this.received
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
