/** One kept-open HTTP/1.1 connection, one request at a time (no pipelining), at the least possible cost. */
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import type { PreparedText } from '../message.ts'

export interface Answer {
  status: number
  body: string
}

/** Octets of an answer that are read at once; longer ones come in several pieces. */
const READ_SIZE = 16_384

/** `HTTP/1.1 ` goes before the status. */
const STATUS_AT = 9

export class HttpConnection {
  /** The request this connection sends, in octets of its own: they are free again when the answer is there. */
  readonly request: PreparedText
  readonly #socket: Socket
  #heard = ''
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

  /** Sends the request with this number; the answer to it. Answers are read by Content-Length. */
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
    this.#heard = this.#heard === '' ? text : this.#heard + text
    const headEnd = this.#heard.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#heard)?.[1]
    if (length === undefined) {
      this.#fail(new Error('an answer without Content-Length'))
      return
    }
    const end = headEnd + 4 + Number(length)
    if (this.#heard.length < end) return
    const answer = {
      status: Number(this.#heard.slice(STATUS_AT, STATUS_AT + 3)),
      body: this.#heard.slice(headEnd + 4, end),
    }
    this.#heard = this.#heard.slice(end)
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
