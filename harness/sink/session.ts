/** One SMTP session of the sink: reads commands and bodies, calls a hook at each step, and answers. */
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Choice, Dialogue, Pace, Reaction, SinkHooks, Step } from './hooks.ts'

const CRLF: Buffer = Buffer.from('\r\n')
const TERMINATOR = Buffer.from('\r\n.\r\n')
const EMPTY: Buffer = Buffer.alloc(0)
const AT_ONCE: Pace = { latency: 0, dribble: 0 }
const MAIL = /^MAIL FROM:\s*<([^>]*)>\s*(.*)$/i
const RCPT = /^RCPT TO:\s*<((?:"(?:[^"\\]|\\.)*"|[^>"])*)>/i

/** What all sessions of a server have in common. */
export interface SessionOptions {
  /** Name in the greeting. */
  name: string
  /** EHLO keywords. */
  offers: readonly string[]
  /** For STARTTLS; null: it is not offered. */
  secureContext: SecureContext | null
}

export class SinkSession implements Dialogue {
  readonly number: number
  secure: boolean
  helo = ''
  transaction = 0
  messages = 0
  sender: string | null = null
  mailParameters = ''
  recipients: string[] = []
  octets = 0
  readonly #options: SessionOptions
  readonly #hooks: SinkHooks
  readonly peer: string
  #socket: Socket
  /** Below TLS, once there is any. */
  readonly #tcp: Socket
  #pending = EMPTY
  #out = ''
  /** The number of reasons for which the dialogue waits: a hook that has not decided, replies in transit, or a hang. */
  #holds = 0
  #sending = false
  #over = false
  /** Ends as soon as the replies on their way have left. */
  #leaving = false
  #inBody = false
  #bodyBegun = false
  /** Octets of a body that is kept, dots stuffed; null: it is only counted. */
  #kept: Buffer[] | null = null

  constructor(options: SessionOptions, hooks: SinkHooks, socket: Socket, number: number) {
    this.#options = options
    this.#hooks = hooks
    this.#socket = socket
    this.#tcp = socket
    this.peer = socket.remoteAddress ?? ''
    this.number = number
    this.secure = socket instanceof TLSSocket
    this.#attach(socket)
  }

  greet(): void {
    this.#step('connect', '', `220 ${this.#options.name} ESMTP`)
    this.#work()
  }

  /** Ends the session, but not between a message that was taken and the answer to it: that would make it come again. */
  dismiss(): void {
    if (this.#over) return
    if (this.#sending) this.#leaving = true
    else this.#end()
  }

  cut(): void {
    this.#over = true
    this.#socket.destroy()
  }

  message(): Buffer {
    return unstuffed(Buffer.concat(this.#kept ?? []))
  }

  #attach(socket: Socket): void {
    socket.on('error', () => this.cut())
    socket.on('close', () => {
      this.#over = true
    })
    socket.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
      this.#work()
    })
  }

  #work(): void {
    while (this.#holds === 0 && !this.#over && this.#pending.length > 0) {
      if (this.#inBody) {
        if (!this.#readBody()) break
        continue
      }
      const end = this.#pending.indexOf(CRLF)
      if (end < 0) break
      const line = this.#pending.toString('utf8', 0, end)
      this.#pending = this.#pending.subarray(end + CRLF.length)
      this.#command(line)
    }
    if (this.#holds === 0) this.#flush()
  }

  #command(line: string): void {
    this.#hooks.line?.(this, 'C', line)
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        this.#hello(line, this.#extensions())
        break
      case 'HELO':
        this.#hello(line, '250 sink.test')
        break
      case 'MAIL':
        this.#mail(line)
        break
      case 'RCPT':
        this.#rcpt(line)
        break
      case 'DATA':
        if (this.recipients.length === 0) this.#say('503 5.5.1 no valid recipients')
        else
          this.#step('data', line, '354 go ahead', (reply) => {
            if (reply.startsWith('354')) this.#beginBody()
          })
        break
      case 'STAR':
        this.#startTls(line)
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
      default:
        this.#say('502 5.5.2 not known here')
    }
  }

  #hello(line: string, standard: string): void {
    this.helo = line.slice(5).trim()
    this.#step('ehlo', line, standard, () => this.#reset())
  }

  #extensions(): string {
    const lines = ['sink.test', ...this.#options.offers]
    if (this.#options.secureContext !== null && !this.secure) lines.push('STARTTLS')
    const last = lines.length - 1
    return lines.map((text, index) => `250${index === last ? ' ' : '-'}${text}`).join('\r\n')
  }

  #mail(line: string): void {
    const parsed = MAIL.exec(line)
    if (parsed === null) {
      this.#say('501 5.5.4 MAIL FROM:<address>')
      return
    }
    this.#reset()
    this.transaction++
    this.sender = parsed[1]!
    this.mailParameters = parsed[2]!
    this.#step('mail', line, '250 2.1.0 ok', (reply) => {
      if (!isSuccess(reply)) this.sender = null
    })
  }

  #rcpt(line: string): void {
    const recipient = RCPT.exec(line)?.[1]
    if (recipient === undefined) {
      this.#say('501 5.5.4 RCPT TO:<address>')
    } else if (this.sender === null) {
      this.#say('503 5.5.1 MAIL first')
    } else {
      const named = (reply: string) => {
        if (isSuccess(reply)) this.recipients.push(recipient)
      }
      this.#step('rcpt', line, '250 2.1.5 ok', named, recipient)
    }
  }

  #beginBody(): void {
    this.#inBody = true
    this.#bodyBegun = false
    // The line end of DATA counts for a body of nothing but the final dot.
    this.#pending = this.#pending.length === 0 ? CRLF : Buffer.concat([CRLF, this.#pending])
    this.octets = -CRLF.length
    this.#kept = this.#hooks.keeps(this) ? [] : null
  }

  /** False when more has to arrive. */
  #readBody(): boolean {
    if (!this.#bodyBegun) {
      if (this.#pending.length === CRLF.length) return false
      this.#bodyBegun = true
      this.#meanwhile(this.#hooks.at('body', this, '', null))
      return true
    }
    const end = this.#pending.indexOf(TERMINATOR)
    if (end < 0) {
      const left = Math.min(this.#pending.length, TERMINATOR.length - 1)
      this.octets += this.#pending.length - left
      this.#kept?.push(this.#pending.subarray(0, this.#pending.length - left))
      this.#pending = this.#pending.subarray(this.#pending.length - left)
      return false
    }
    this.octets += end + TERMINATOR.length
    this.#kept?.push(this.#pending.subarray(0, end + CRLF.length))
    this.#pending = this.#pending.subarray(end + TERMINATOR.length)
    this.#inBody = false
    this.messages++
    this.#step('dot', '', '250 2.0.0 kept', (reply) => {
      if (this.#hooks.answered && !this.#over) this.#tellAnswered(reply)
      else this.#reset()
    })
    return true
  }

  #tellAnswered(reply: string): void {
    const out = this.#out
    this.#out = ''
    const { promise, resolve, reject } = Promise.withResolvers<Reaction | undefined>()
    this.#write(out, (error) => {
      if (error) resolve(undefined)
      else Promise.resolve(this.#hooks.answered?.(this, reply)).then(resolve, reject)
    })
    this.#wait(promise, (reaction) => {
      if (reaction) this.#react(reaction, '')
      this.#reset()
    })
  }

  #reset(): void {
    this.sender = null
    this.recipients = []
  }

  #startTls(line: string): void {
    const secureContext = this.#options.secureContext
    if (secureContext === null || this.secure) {
      this.#say('502 5.5.1 no STARTTLS')
      return
    }
    this.#step('starttls', line, '220 2.0.0 go ahead', (reply) => {
      if (!reply.startsWith('220')) return
      this.#flushNow()
      // What came in the clear after STARTTLS is no part of the session (RFC 3207 section 4.2).
      this.#pending = EMPTY
      this.#reset()
      this.#socket.removeAllListeners('data')
      this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext })
      this.secure = true
      this.#attach(this.#socket)
    })
  }

  /** Asks what to do, answers, and then does what the answer means. */
  #step(
    step: Step,
    line: string,
    standard: string,
    then?: (reply: string) => void,
    recipient: string | null = null,
  ): void {
    const choice = this.#hooks.at(step, this, line, recipient)
    if (choice instanceof Promise) this.#wait(choice, (reaction) => this.#react(reaction, standard, then))
    else this.#react(choice, standard, then)
  }

  /** Nothing is answered unless the connection ends. */
  #meanwhile(choice: Choice): void {
    if (choice instanceof Promise) this.#wait(choice, (reaction) => reaction && this.#react(reaction, ''))
    else if (choice) this.#react(choice, '')
  }

  /** Holds the dialogue until a hook has decided. Earlier replies leave at once. */
  #wait(choice: Promise<Reaction | undefined>, then: (reaction: Reaction | undefined) => void): void {
    this.#flushNow()
    this.#holds++
    choice.then(
      (reaction) => {
        this.#holds--
        then(reaction)
        this.#work()
      },
      (error: unknown) => {
        this.cut()
        throw error
      },
    )
  }

  #react(reaction: Reaction | undefined, standard: string, then?: (reply: string) => void): void {
    if (this.#over) return
    if (reaction === undefined) {
      this.#say(standard)
      then?.(standard)
    } else if ('hang' in reaction) {
      this.#flushNow()
      this.#holds++
    } else if ('reply' in reaction) {
      this.#say(reaction.reply)
      then?.(reaction.reply)
      if ('close' in reaction) this.#leave()
    } else {
      this.#flushNow()
      this.#hooks.line?.(this, 'S', '(connection cut)')
      this.#over = true
      this.#afterLink(() => {
        if ('reset' in reaction) this.#tcp.resetAndDestroy()
        this.cut()
      })
    }
  }

  #say(reply: string): void {
    this.#out += `${reply}\r\n`
    this.#hooks.line?.(this, 'S', reply)
  }

  #leave(): void {
    this.#flushNow()
    this.#end()
  }

  #end(): void {
    this.#over = true
    this.#afterLink(() => this.#socket.end())
  }

  /** Replies leave together, after the latency; dribbled, octet by octet. */
  #flush(): void {
    const { latency, dribble } = this.#hooks.pace ?? AT_ONCE
    if (latency === 0 && dribble === 0) {
      this.#flushNow()
      return
    }
    if (this.#out === '' || this.#over) return
    const replies = this.#out
    this.#out = ''
    this.#holds++
    this.#sending = true
    setTimeout(() => {
      if (dribble === 0) this.#deliver(replies)
      else this.#dribble(replies, dribble)
    }, latency)
  }

  #dribble(replies: string, gap: number): void {
    if (this.#over) return
    this.#write(replies.slice(0, 1))
    if (replies.length === 1) this.#deliver('')
    else setTimeout(() => this.#dribble(replies.slice(1), gap), gap)
  }

  #deliver(replies: string): void {
    if (this.#over) return
    if (replies !== '') this.#write(replies)
    this.#holds--
    this.#sending = false
    if (this.#leaving) this.#end()
    else this.#work()
  }

  #flushNow(): void {
    if (this.#out === '' || this.#over) return
    this.#write(this.#out)
    this.#out = ''
  }

  #write(replies: string, written?: (error?: Error | null) => void): void {
    const socket = this.#socket
    this.#afterLink(() => socket.write(replies, written))
  }

  /** Timers of one length keep their order. */
  #afterLink(act: () => void): void {
    const { link = 0 } = this.#hooks.pace ?? AT_ONCE
    if (link === 0) act()
    else setTimeout(act, link)
  }
}

function isSuccess(reply: string): boolean {
  return reply.startsWith('2')
}

/** Undoes transparency: a dot at the start of a line was doubled (RFC 5321 section 4.5.2). `wire` begins with the line end of DATA. */
function unstuffed(wire: Buffer): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (let at = wire.indexOf('\r\n.'); at >= 0; at = wire.indexOf('\r\n.', from)) {
    pieces.push(wire.subarray(from, at + CRLF.length))
    from = at + CRLF.length + 1
  }
  pieces.push(wire.subarray(from))
  return Buffer.concat(pieces).subarray(CRLF.length)
}
