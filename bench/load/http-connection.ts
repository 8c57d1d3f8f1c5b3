/** One kept-open HTTP/1.1 connection, one request at a time (no pipelining), at the least possible cost. */
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import type { PreparedText } from '../message.ts'

export interface Answer {
  status: number
  body: string
}

/** Octets that are read at once. A longer answer arrives in several pieces. */
const READ_SIZE = 16_384

/** The offset of the status in an answer, after `HTTP/1.1 `. */
const STATUS_AT = 9

export class HttpConnection {
  /** The request that this connection sends. It has its own buffer, which is free again when the answer has arrived. */
  readonly request: PreparedText
  readonly #socket: Socket
  #received = ''
  #broken: Error | undefined
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  private constructor(port: number, host: string, request: PreparedText, secure: boolean) {
    this.request = request
    const options = {
      port,
      host,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_SIZE),
        callback: (length: number, buffer: Uint8Array) => {
          this.#take((buffer as Buffer).toString('latin1', 0, length))
          return true
        },
      },
    }
    this.#socket = secure ? tls.connect({ ...options, rejectUnauthorized: false }) : net.connect(options)
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  /** `secure`: over TLS, whatever the certificate. */
  static async open(
    host: string,
    port: number,
    request: PreparedText,
    { secure = false } = {},
  ): Promise<HttpConnection> {
    const connection = new HttpConnection(port, host, request, secure)
    await once(connection.#socket, secure ? 'secureConnect' : 'connect')
    return connection
  }

  get idle(): boolean {
    return this.#waiting === undefined
  }

  /** Sends the request with this number, and returns its answer, whose end is found by Content-Length. */
  send(number: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#broken) {
        reject(this.#broken)
        return
      }
      this.#waiting = { resolve, reject }
      this.#socket.write(this.request.for(number))
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(text: string): void {
    this.#received = this.#received === '' ? text : this.#received + text
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#received)?.[1]
    if (length === undefined) {
      this.#fail(new Error('an answer without Content-Length'))
      return
    }
    const end = headEnd + 4 + Number(length)
    if (this.#received.length < end) return
    const answer = {
      status: Number(this.#received.slice(STATUS_AT, STATUS_AT + 3)),
      body: this.#received.slice(headEnd + 4, end),
    }
    this.#received = this.#received.slice(end)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(answer)
  }

  #fail(error: Error): void {
    this.#broken ??= error
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }
}
