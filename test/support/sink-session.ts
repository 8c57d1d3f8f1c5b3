/** One SMTP session of the sink: reads commands and bodies, asks the script at each step, answers. */
import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Sink } from './sink.ts'
import type { Moment, Reaction, SinkMessage, Step } from './sink-dialogue.ts'

const DEFAULT_OFFERS = ['PIPELINING', 'SIZE 52428800', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
const CRLF: Buffer = Buffer.from('\r\n')
const TERMINATOR = Buffer.from('\r\n.\r\n')
const EMPTY: Buffer = Buffer.alloc(0)

export class Session {
  readonly #sink: Sink
  readonly #number: number
  #socket: Socket
  /** Below TLS, once there is any. */
  readonly #tcp: Socket
  #pending = EMPTY
  #mode: 'command' | 'body' = 'command'
  /** Things the dialogue waits for: scripts that think, an answer on its way. */
  #holds = 0
  #dead = false
  #out = ''
  #secure: boolean
  #transaction = 0
  #sender: string | null = null
  #mailParameters = ''
  #recipients: string[] = []
  #body: Buffer[] = []
  #bodySize = 0
  /** Last octets of the body, where a terminator may be split over two packets. */
  #tail = CRLF
  #bodyBegun = false

  constructor(sink: Sink, socket: Socket, number: number) {
    this.#sink = sink
    this.#socket = socket
    this.#tcp = socket
    this.#number = number
    this.#secure = socket instanceof TLSSocket
    this.#attach(socket)
  }

  #attach(socket: Socket): void {
    socket.setNoDelay(true)
    socket.on('error', () => this.cut())
    socket.on('close', () => {
      this.#dead = true
      this.#sink.noticed()
    })
    socket.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
      this.#pump()
    })
  }

  cut(): void {
    this.#dead = true
    this.#socket.destroy()
  }

  greet(): void {
    this.#step('connect', '', `220 ${this.#sink.options.name ?? 'sink.test'} ESMTP`)
    this.#pump()
  }

  #pump(): void {
    while (this.#holds === 0 && !this.#dead && this.#pending.length > 0) {
      if (this.#mode === 'body') {
        if (!this.#takeBody()) break
      } else {
        const end = this.#pending.indexOf(CRLF)
        if (end < 0) break
        const line = this.#pending.toString('utf8', 0, end)
        this.#pending = this.#pending.subarray(end + 2)
        this.#command(line)
      }
    }
    if (this.#holds === 0) this.#flush()
  }

  #flush(): void {
    if (this.#out === '' || this.#dead) return
    this.#socket.write(this.#out)
    this.#out = ''
  }

  #say(reply: string): void {
    this.#out += `${reply}\r\n`
    if (!this.#sink.options.count) this.#log('S', reply)
  }

  #log(who: 'C' | 'S', line: string): void {
    this.#sink.dialogue.push(`${this.#number} ${who}: ${line}`)
  }

  /** Asks the script, answers, and then does what a success means. */
  #step(
    step: Step,
    line: string,
    standard: string,
    then?: (reply: string) => void,
    recipient: string | null = null,
  ): void {
    const script = this.#sink.script
    const reaction = script?.(this.#moment(step, line, recipient, null))
    const go = (chosen: Reaction | undefined) => {
      this.#react(chosen, standard, then)
      this.#sink.noticed()
    }
    if (reaction instanceof Promise) this.#wait(reaction.then(go))
    else if (script) go(reaction)
    else {
      this.#say(standard)
      then?.(standard)
    }
  }

  #moment(step: Step, line: string, recipient: string | null, message: SinkMessage | null): Moment {
    return {
      step,
      session: this.#number,
      transaction: this.#transaction,
      sender: this.#sender,
      recipient,
      recipients: this.#recipients,
      line,
      secure: this.#secure,
      message,
    }
  }

  /** Holds this session's dialogue until `work` is done. What was answered before leaves at once. */
  #wait(work: Promise<void>): void {
    this.#flush()
    this.#holds++
    work.then(
      () => {
        this.#holds--
        this.#pump()
      },
      (error: unknown) => {
        this.cut()
        throw error
      },
    )
  }

  #react(reaction: Reaction | undefined, standard: string, then?: (reply: string) => void): void {
    if (this.#dead) return
    if (reaction === undefined) {
      this.#say(standard)
      then?.(standard)
    } else if ('hang' in reaction) {
      this.#flush()
      this.#holds++
    } else if ('reply' in reaction) {
      this.#say(reaction.reply)
      then?.(reaction.reply)
      if ('close' in reaction) this.#leave()
    } else {
      this.#flush()
      this.#log('S', '(connection cut)')
      if ('reset' in reaction) this.#tcp.resetAndDestroy()
      this.cut()
    }
  }

  #leave(): void {
    this.#flush()
    this.#dead = true
    this.#socket.end()
  }

  #command(line: string): void {
    if (!this.#sink.options.count) this.#log('C', line)
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        this.#step('ehlo', line, this.#greeting(), () => this.#reset())
        break
      case 'HELO':
        this.#step('ehlo', line, '250 sink.test', () => this.#reset())
        break
      case 'MAIL':
        this.#mail(line)
        break
      case 'RCPT':
        this.#rcpt(line)
        break
      case 'DATA':
        this.#data(line)
        break
      case 'RSET':
        this.#step('rset', line, '250 2.0.0 reset', () => this.#reset())
        break
      case 'NOOP':
        this.#say('250 2.0.0 ok')
        break
      case 'QUIT':
        this.#step('quit', line, '221 2.0.0 bye', () => this.#leave())
        break
      case 'STAR':
        this.#startTls(line)
        break
      default:
        this.#say('502 5.5.2 not known here')
    }
  }

  #greeting(): string {
    const { offers = DEFAULT_OFFERS, tls } = this.#sink.options
    const lines = ['sink.test', ...offers]
    if (tls && !this.#secure) lines.push('STARTTLS')
    return lines.map((text, index) => `250${index === lines.length - 1 ? ' ' : '-'}${text}`).join('\r\n')
  }

  #mail(line: string): void {
    const parsed = /^MAIL FROM:\s*<([^>]*)>\s*(.*)$/i.exec(line)
    if (!parsed) {
      this.#say('501 5.5.4 MAIL FROM:<address>')
      return
    }
    this.#reset()
    this.#transaction++
    this.#sender = parsed[1]!
    this.#mailParameters = parsed[2]!
    this.#step('mail', line, '250 2.1.0 ok', (reply) => {
      if (!reply.startsWith('2')) this.#sender = null
    })
  }

  #rcpt(line: string): void {
    const recipient = /^RCPT TO:\s*<((?:"(?:[^"\\]|\\.)*"|[^>"])*)>/i.exec(line)?.[1]
    if (recipient === undefined) {
      this.#say('501 5.5.4 RCPT TO:<address>')
    } else if (this.#sender === null) {
      this.#say('503 5.5.1 MAIL first')
    } else {
      const accepted = (reply: string) => {
        if (reply.startsWith('2')) this.#recipients.push(recipient)
      }
      this.#step('rcpt', line, '250 2.1.5 ok', accepted, recipient)
    }
  }

  #data(line: string): void {
    if (this.#recipients.length === 0) {
      this.#say('503 5.5.1 no valid recipients')
      return
    }
    this.#step('data', line, '354 go ahead', (reply) => {
      if (reply.startsWith('354')) this.#beginBody()
    })
  }

  #reset(): void {
    this.#sender = null
    this.#mailParameters = ''
    this.#recipients = []
  }

  #startTls(line: string): void {
    const { tls } = this.#sink.options
    if (!tls || this.#secure) {
      this.#say('502 5.5.1 no STARTTLS')
      return
    }
    this.#step('starttls', line, '220 2.0.0 go ahead', (reply) => {
      if (!reply.startsWith('220')) return
      this.#flush()
      // What came in the clear after STARTTLS must not be taken for part of the session (RFC 3207 section 4.2).
      this.#pending = EMPTY
      this.#socket.removeAllListeners('data')
      const secured = new TLSSocket(this.#socket, {
        isServer: true,
        secureContext: createSecureContext({ cert: tls.cert, key: tls.key }),
      })
      this.#socket = secured
      this.#secure = true
      this.#reset()
      this.#attach(secured)
    })
  }

  #beginBody(): void {
    this.#mode = 'body'
    this.#body = []
    this.#bodySize = 0
    this.#tail = CRLF
    this.#bodyBegun = false
  }

  /** Takes octets of the body. False when more have to arrive. */
  #takeBody(): boolean {
    if (!this.#bodyBegun) {
      this.#bodyBegun = true
      const reaction = this.#sink.script?.(this.#moment('body', '', null, null))
      if (reaction instanceof Promise) {
        this.#wait(reaction.then((chosen) => this.#interrupt(chosen)))
        return true
      }
      if (reaction) {
        this.#interrupt(reaction)
        return true
      }
    }
    const chunk = this.#pending
    const joint = Buffer.concat([this.#tail, chunk.subarray(0, 4)])
    const early = joint.indexOf(TERMINATOR)
    // `end`: index in chunk just after the terminator.
    let end = early >= 0 ? early + TERMINATOR.length - this.#tail.length : -1
    if (end < 0) {
      const found = chunk.indexOf(TERMINATOR)
      if (found >= 0) end = found + TERMINATOR.length
    }
    const part = end < 0 ? chunk : chunk.subarray(0, end)
    this.#bodySize += part.length
    if (!this.#sink.options.count) this.#body.push(part)
    if (end < 0) {
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-4)]).subarray(-4)
      this.#pending = EMPTY
      return false
    }
    this.#pending = chunk.subarray(end)
    this.#mode = 'command'
    this.#finish()
    return true
  }

  #interrupt(reaction: Reaction | undefined): void {
    if (reaction) this.#react(reaction, '')
  }

  #finish(): void {
    const { count } = this.#sink.options
    if (count && !this.#sink.script) {
      count(this.#recipients, this.#bodySize)
      this.#say('250 2.0.0 kept')
      this.#reset()
      return
    }
    const message: SinkMessage = {
      sender: this.#sender ?? '',
      recipients: this.#recipients,
      mailParameters: this.#mailParameters,
      raw: unstuff(Buffer.concat(this.#body)),
      session: this.#number,
      secure: this.#secure,
      at: Date.now(),
      answer: null,
    }
    this.#body = []
    const reaction = this.#sink.script?.(this.#moment('dot', '', null, message))
    if (reaction instanceof Promise) this.#wait(reaction.then((chosen) => this.#close(message, chosen)))
    else this.#close(message, reaction)
  }

  /** The answer to the final dot. A message whose answer is withheld has arrived all the same. */
  #close(message: SinkMessage, reaction: Reaction | undefined): void {
    const refused = reaction !== undefined && 'reply' in reaction && !reaction.reply.startsWith('2')
    if (refused) this.#sink.refused.push(message)
    else this.#sink.messages.push(message)
    this.#react(reaction, '250 2.0.0 kept', (reply) => {
      this.#reset()
      if (this.#dead) return
      const answered = this.#moment('answered', '', null, message)
      const written = new Promise<void>((resolve, reject) => {
        const out = this.#out
        this.#out = ''
        this.#socket.write(out, (error) => {
          if (error) return resolve()
          message.answer = reply
          Promise.resolve(this.#sink.script?.(answered)).then((chosen) => {
            this.#interrupt(chosen)
            resolve()
          }, reject)
        })
      })
      this.#wait(written)
    })
    this.#sink.noticed()
  }
}

/** Undoes transparency: a dot at the start of a line was doubled; the terminator's own dot goes (RFC 5321 4.5.2). */
function unstuff(wire: Buffer): Buffer {
  const body = wire.subarray(0, wire.length - 3)
  const pieces: Buffer[] = []
  let from = body[0] === 0x2e ? 1 : 0
  for (let at = body.indexOf('\r\n.', from); at >= 0; at = body.indexOf('\r\n.', from)) {
    pieces.push(body.subarray(from, at + 2))
    from = at + 3
  }
  pieces.push(body.subarray(from))
  return Buffer.concat(pieces)
}
