/** A persistent SMTP session that submits one message after the other, at the least possible cost. */
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import type { Answer } from './http-connection.ts'

/** The octets for each number; valid until the next call. */
export interface NumberedText {
  for(number: number): Buffer
}

/** Envelope commands of one message, pipelined where the server offers it (RFC 2920). */
export interface PreparedEnvelope {
  commands: NumberedText
  message: NumberedText
  /** False: one command at a time, even if the server offers pipelining. */
  pipelining?: boolean
  /** The message of AUTH PLAIN (RFC 4616), in base64; absent: without a login. */
  login?: string
}

export class SmtpConnection {
  readonly #socket: Socket
  readonly #envelope: PreparedEnvelope
  #heard = ''
  #reply: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined
  #broken: Error | undefined
  #pipelining = false

  private constructor(port: number, host: string, envelope: PreparedEnvelope) {
    this.#envelope = envelope
    this.#socket = net.connect({ port, host, noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (text: string) => {
      this.#heard += text
      this.#look()
    })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed the session')))
  }

  static async open(host: string, port: number, envelope: PreparedEnvelope): Promise<SmtpConnection> {
    const connection = new SmtpConnection(port, host, envelope)
    await once(connection.#socket, 'connect')
    await connection.#expect('220')
    connection.#socket.write('EHLO load.test\r\n')
    const offered = /PIPELINING/i.test(await connection.#expect('250'))
    if (envelope.login !== undefined) {
      connection.#socket.write(`AUTH PLAIN ${envelope.login}\r\n`)
      await connection.#expect('235')
    }
    connection.#pipelining = offered && envelope.pipelining !== false
    return connection
  }

  /** Submits the message with this number. The status is 200 if the final dot was answered with 250, else the reply's code. */
  async send(number: number): Promise<Answer> {
    const commands = this.#envelope.commands.for(number)
    if (this.#pipelining) {
      this.#socket.write(commands)
      for (const wanted of ['250', '250', '354']) {
        const reply = await this.#next()
        if (!reply.startsWith(wanted)) throw new Error(`the server refused the envelope: ${reply}`)
      }
    } else {
      const lines = commands.toString('latin1').split('\r\n').slice(0, 3)
      for (const [index, line] of lines.entries()) {
        this.#socket.write(`${line}\r\n`)
        await this.#expect(index === 2 ? '354' : '250')
      }
    }
    this.#socket.write(this.#envelope.message.for(number))
    const reply = await this.#next()
    return { status: reply.startsWith('250') ? 200 : Number(reply.slice(0, 3)), body: reply }
  }

  close(): void {
    this.#socket.end('QUIT\r\n')
  }

  async #expect(code: string): Promise<string> {
    const reply = await this.#next()
    if (!reply.startsWith(code)) throw new Error(`the server answered "${reply}" where ${code} was expected`)
    return reply
  }

  #next(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#reply = { resolve, reject }
      this.#look()
    })
  }

  #look(): void {
    if (!this.#reply) return
    // A reply ends with the line that has a space after its code (RFC 5321 4.2.1).
    const end = /^\d{3}(?: [^\r\n]*)?\r\n/m.exec(this.#heard)
    if (end) {
      const reply = this.#heard.slice(0, end.index + end[0].length)
      this.#heard = this.#heard.slice(end.index + end[0].length)
      const { resolve } = this.#reply
      this.#reply = undefined
      resolve(reply.trimEnd())
    } else if (this.#broken) {
      this.#fail(this.#broken)
    }
  }

  #fail(error: Error): void {
    this.#broken ??= error
    const reply = this.#reply
    this.#reply = undefined
    reply?.reject(this.#broken)
  }
}
