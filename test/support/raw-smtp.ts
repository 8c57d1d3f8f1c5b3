/**
 * A server that does on a socket exactly what a test tells it to, step by step, however wrong. It knows no
 * SMTP: the test plays the server by reading lines and sending bytes.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** One connection, seen from the server. */
export class Peer {
  /** Everything the client sent, decoded as UTF-8. */
  heard = ''
  #socket: Socket
  /** Below TLS, once there is any. */
  #tcp: Socket
  #unread = Buffer.alloc(0)
  #ended = false
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.#socket = socket
    this.#tcp = socket
    this.#attach(socket)
  }

  /** Sends bytes as they are; resolves when the kernel has them. */
  async send(data: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.write(data, () => resolve())
    })
  }

  /** Next line without CRLF; null when the client has closed. */
  async line(): Promise<string | null> {
    const text = await this.#until('\r\n')
    return text === null ? null : text.slice(0, -2)
  }

  /** Anything at all, which is taken; or the end. */
  async some(): Promise<void> {
    while (this.#unread.length === 0 && !this.#ended) await this.#more()
    this.#unread = Buffer.alloc(0)
  }

  /** Message text up to and including the final dot; null when the client closes before it. */
  async message(): Promise<string | null> {
    return this.#until('\r\n.\r\n')
  }

  /** The usual beginning: greeting, EHLO, capabilities. Gives the EHLO line. */
  async greet(...capabilities: string[]): Promise<string | null> {
    await this.send('220 mx.example.test ESMTP\r\n')
    const hello = await this.line()
    const lines = ['mx.example.test', ...capabilities]
    await this.send(lines.map((line, at) => `250${at < lines.length - 1 ? '-' : ' '}${line}\r\n`).join(''))
    return hello
  }

  /** Reads a line and answers it, for each answer. Gives the lines. */
  async answer(...answers: string[]): Promise<(string | null)[]> {
    const lines: (string | null)[] = []
    for (const answer of answers) {
      lines.push(await this.line())
      await this.send(`${answer}\r\n`)
    }
    return lines
  }

  /** Answers MAIL, RCPT and DATA with success, reads the message, answers the dot. Gives the message. */
  async accept(answer = '250 2.0.0 queued'): Promise<string | null> {
    await this.answer('250 2.1.0 ok', '250 2.1.5 ok', '354 go on')
    const message = await this.message()
    if (message !== null) await this.send(`${answer}\r\n`)
    return message
  }

  /** TLS from here on, as the server. */
  async encrypt(options: { cert: string; key: string }): Promise<void> {
    this.#socket.removeAllListeners('data')
    this.#socket.removeAllListeners('end')
    const secure = new TLSSocket(this.#socket, { isServer: true, ...options })
    this.#attach(secure)
    await new Promise((resolve) => secure.once('secure', resolve))
  }

  /** FIN. */
  end(): void {
    this.#socket.end()
  }

  /** RST. */
  reset(): void {
    this.#tcp.resetAndDestroy()
  }

  /** Stops reading: the client's bytes pile up in the kernel. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** The client has closed its side, as far as we have read. */
  get gone(): boolean {
    return this.#ended
  }

  /** Reads one segment and stops reading again. */
  async sip(): Promise<void> {
    this.#socket.resume()
    if (!this.#ended) await this.#more()
    this.#socket.pause()
  }

  /** Resolves when the client has closed its side. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#more()
  }

  #attach(socket: Socket): void {
    this.#socket = socket
    const ended = () => {
      this.#ended = true
      this.#wake()
    }
    socket.on('data', (chunk: Buffer) => {
      this.heard += chunk.toString('utf8')
      this.#unread = Buffer.concat([this.#unread, chunk])
      this.#wake()
    })
    socket.on('end', ended)
    socket.on('close', ended)
    socket.on('error', ended)
  }

  async #until(mark: string): Promise<string | null> {
    for (;;) {
      const at = this.#unread.indexOf(mark)
      if (at !== -1) {
        const text = this.#unread.toString('utf8', 0, at + mark.length)
        this.#unread = this.#unread.subarray(at + mark.length)
        return text
      }
      if (this.#ended) return null
      await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export interface RawServer extends AsyncDisposable {
  port: number
  /** Connections so far. */
  peers: Peer[]
  /** What each script threw, if anything: a test that ends well with a broken script proves nothing. */
  failures: unknown[]
  /** Resolves when the script of every connection so far has ended. */
  finished(): Promise<void>
}

/**
 * Listens on a free loopback port and plays the script for each connection. Sockets left open are cut at the
 * end.
 */
export async function rawServer(script: (peer: Peer, number: number) => Promise<void>): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const peers: Peer[] = []
  const failures: unknown[] = []
  const scripts: Promise<void>[] = []
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    const peer = new Peer(socket)
    peers.push(peer)
    scripts.push(script(peer, peers.length).catch((error) => void failures.push(error)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    peers,
    failures,
    async finished() {
      await Promise.all(scripts)
      if (failures.length > 0) throw failures[0]
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
