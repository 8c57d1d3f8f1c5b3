/** One kept-open HTTP/1.1 connection, one request at a time, with as little of its own cost as possible. */
import { once } from 'node:events'
import net, { type Socket } from 'node:net'

export interface Answer {
  status: number
  body: string
}

export class HttpConnection {
  readonly #socket: Socket
  #heard = ''
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#take(text))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static async open(host: string, port: number): Promise<HttpConnection> {
    const socket = net.connect(port, host)
    await once(socket, 'connect')
    return new HttpConnection(socket)
  }

  /** Sends a whole request; the answer to it. Answers are read by Content-Length. */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
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
    const answer = { status: Number(this.#heard.slice(9, 12)), body: this.#heard.slice(headEnd + 4, end) }
    this.#heard = this.#heard.slice(end)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(answer)
  }

  #fail(error: Error): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }
}
