/** One SMTP session of a receiving server of the benchmark: cheap enough that it is never what limits a measurement. */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { SinkStep } from './behaviour.ts'
import type { Peer } from './peer.ts'

const CRLF: Buffer = Buffer.from('\r\n')
const TERMINATOR = Buffer.from('\r\n.\r\n')
const EMPTY: Buffer = Buffer.alloc(0)

export class PeerSession {
  readonly #peer: Peer
  #socket: Socket
  #pending = EMPTY
  #out = ''
  /** Commands wait: replies are on their way, or there never will be one. */
  #held = false
  #sending = false
  #over = false
  /** Ends as soon as the replies on their way have left. */
  #leaving = false
  #inBody = false
  #secure = false
  #sender = false
  #recipients: string[] = []
  #bodySize = 0
  #messages = 0
  /** Octets of a body that is to be kept; null: it is only counted. */
  #kept: Buffer[] | null = null

  constructor(peer: Peer, socket: Socket) {
    this.#peer = peer
    this.#socket = socket
    this.#attach(socket)
  }

  greet(): void {
    const limit = this.#peer.behaviour.connections
    if (limit > 0 && this.#peer.open > limit) this.#leave('421 4.3.2 too many connections')
    else this.#step('connect', '220 sink.test ESMTP')
    this.#flush()
  }

  /** Ends the session, but not between a message that was taken and the answer to it: that would make it come again. */
  dismiss(): void {
    if (this.#over) return
    if (this.#sending) this.#leaving = true
    else this.#end()
  }

  #end(): void {
    this.#over = true
    this.#socket.end()
  }

  #attach(socket: Socket): void {
    socket.on('error', () => this.#cut())
    socket.on('close', () => {
      this.#over = true
    })
    socket.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
      this.#work()
    })
  }

  #work(): void {
    while (!this.#held && !this.#over && this.#pending.length > 0) {
      if (this.#inBody) {
        if (!this.#readBody()) break
        continue
      }
      const end = this.#pending.indexOf(CRLF)
      if (end < 0) break
      const line = this.#pending.toString('latin1', 0, end)
      this.#pending = this.#pending.subarray(end + CRLF.length)
      this.#command(line)
    }
    this.#flush()
  }

  #command(line: string): void {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
      case 'HELO':
        this.#reset()
        this.#step('ehlo', this.#extensions())
        break
      case 'MAIL':
        this.#mail()
        break
      case 'RCPT':
        this.#rcpt(line)
        break
      case 'DATA':
        if (this.#recipients.length === 0) this.#say('503 5.5.1 no valid recipients')
        else if (this.#step('data', '354 go ahead')) this.#beginBody()
        break
      case 'STAR':
        this.#startTls()
        break
      case 'RSET':
        this.#reset()
        this.#say('250 2.0.0 reset')
        break
      case 'NOOP':
        this.#say('250 2.0.0 ok')
        break
      case 'QUIT':
        this.#leave('221 2.0.0 bye')
        break
      default:
        this.#say('502 5.5.2 not known here')
    }
  }

  #extensions(): string {
    const offered = [
      'sink.test',
      'PIPELINING',
      'SIZE 52428800',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
    ]
    if (this.#peer.secureContext !== null && !this.#secure) offered.push('STARTTLS')
    const last = offered.length - 1
    return offered.map((keyword, index) => `250${index === last ? ' ' : '-'}${keyword}`).join('\r\n')
  }

  #mail(): void {
    this.#reset()
    const limit = this.#peer.behaviour.messages
    if (limit > 0 && this.#messages >= limit) this.#leave('421 4.7.0 enough for one connection')
    else this.#sender = this.#step('mail', '250 2.1.0 ok')
  }

  #rcpt(line: string): void {
    if (!this.#sender) {
      this.#say('503 5.5.1 MAIL first')
      return
    }
    const from = line.indexOf('<')
    const address = line.slice(from + 1, line.indexOf('>', from))
    if (this.#step('rcpt', '250 2.1.5 ok')) this.#recipients.push(address)
  }

  #beginBody(): void {
    this.#inBody = true
    // The line end of DATA counts for a body of nothing but the final dot.
    this.#pending = this.#pending.length === 0 ? CRLF : Buffer.concat([CRLF, this.#pending])
    this.#bodySize = -CRLF.length
    this.#kept = this.#peer.keepNext ? [] : null
  }

  /** False when more has to arrive. */
  #readBody(): boolean {
    const end = this.#pending.indexOf(TERMINATOR)
    if (end < 0) {
      const kept = Math.min(this.#pending.length, TERMINATOR.length - 1)
      this.#bodySize += this.#pending.length - kept
      this.#kept?.push(this.#pending.subarray(0, this.#pending.length - kept))
      this.#pending = this.#pending.subarray(this.#pending.length - kept)
      return false
    }
    this.#bodySize += end + TERMINATOR.length
    this.#kept?.push(this.#pending.subarray(0, end + CRLF.length))
    this.#pending = this.#pending.subarray(end + TERMINATOR.length)
    this.#inBody = false
    this.#messages++
    const recipients = this.#recipients
    this.#reset()
    if (this.#step('dot', '250 2.0.0 kept')) {
      // The first line end is that of DATA.
      if (this.#kept !== null) this.#peer.keep(Buffer.concat(this.#kept).subarray(CRLF.length))
      this.#peer.onMessage(recipients, this.#bodySize)
    }
    return true
  }

  #reset(): void {
    this.#sender = false
    this.#recipients = []
  }

  #startTls(): void {
    const context = this.#peer.secureContext
    if (context === null || this.#secure) {
      this.#say('502 5.5.1 no STARTTLS')
      return
    }
    if (!this.#step('starttls', '220 2.0.0 go ahead')) return
    this.#socket.write(`${this.#out}`)
    this.#out = ''
    // What came in the clear after STARTTLS is no part of the session (RFC 3207 section 4.2).
    this.#pending = EMPTY
    this.#reset()
    this.#socket.removeAllListeners('data')
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext: context })
    this.#secure = true
    this.#attach(this.#socket)
  }

  /** Answers with `reply` unless the dice say otherwise; true when it did. */
  #step(step: SinkStep, reply: string): boolean {
    switch (this.#peer.dice.draw(step)) {
      case null:
        this.#say(reply)
        return true
      case '4xx':
        this.#refuse(step, '421 4.3.2 not now', '451 4.3.0 not now, come back later')
        return false
      case '5xx':
        this.#refuse(step, '554 5.7.1 not here', '554 5.7.1 this is not wanted')
        return false
      case 'hang':
        this.#flushNow()
        this.#held = true
        return false
      case 'cut':
        this.#cut()
        return false
    }
  }

  #refuse(step: SinkStep, atFirst: string, later: string): void {
    if (step === 'connect') this.#leave(atFirst)
    else this.#say(later)
  }

  #say(reply: string): void {
    this.#out += `${reply}\r\n`
  }

  #leave(reply: string): void {
    this.#say(reply)
    this.#flushNow()
    this.#end()
  }

  #cut(): void {
    this.#over = true
    this.#socket.destroy()
  }

  /** Replies leave together, after the latency; dribbled, octet by octet. */
  #flush(): void {
    if (this.#out === '' || this.#over || this.#held) return
    const { latency, dribble } = this.#peer.behaviour
    if (latency === 0 && dribble === 0) {
      this.#flushNow()
      return
    }
    const replies = this.#out
    this.#out = ''
    this.#held = true
    this.#sending = true
    setTimeout(() => {
      if (dribble === 0) this.#deliver(replies)
      else this.#dribble(replies, dribble)
    }, latency)
  }

  #dribble(replies: string, gap: number): void {
    if (this.#over) return
    this.#socket.write(replies.slice(0, 1))
    if (replies.length === 1) this.#deliver('')
    else setTimeout(() => this.#dribble(replies.slice(1), gap), gap)
  }

  #deliver(replies: string): void {
    if (this.#over) return
    if (replies !== '') this.#socket.write(replies, 'latin1')
    this.#held = false
    this.#sending = false
    if (this.#leaving) this.#end()
    else this.#work()
  }

  #flushNow(): void {
    if (this.#out === '' || this.#over) return
    this.#socket.write(this.#out, 'latin1')
    this.#out = ''
  }
}
