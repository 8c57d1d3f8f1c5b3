import type { Socket } from 'node:net'
import type { OwedAnswer, OwedStep } from '../../email/owed-answer.ts'
import { serverName } from '../../email/server-name.ts'
import { connectFault } from '../../network/connect-fault.ts'
import { ProxyFault } from '../../network/proxy/fault.ts'
import { type OutgoingProxy, PROXY_ANSWERS_MS, proxyName } from '../../network/proxy/proxy.ts'
import { openTunnel } from '../../network/proxy/tunnel.ts'
import type { TlsTransport } from '../../network/tls-transport.ts'
import type { Dialogue } from './dialogue.ts'
import type { StuffedMessage } from './dot-stuffing.ts'
import { SmtpError, type SmtpErrorKind, type Stage, waitingFor } from './error.ts'
import type { ExchangeResult, HandoverResult, SmtpExchange } from './exchange.ts'
import { socketToProxy, socketToServer } from './open-socket.ts'
import { ReplyReader } from './reader.ts'
import { redaction } from './redaction.ts'
import { clipMessage, type Reply, replyText } from './reply.ts'
import type { SmtpTarget } from './target.ts'
import { Deadline, defaultTimeouts, replyTimeout, type SmtpTimeouts } from './timeouts.ts'
import { encrypt, type TlsOutcome } from './tls.ts'
import type { HandoverGuard } from './transaction.ts'
import { inBatches } from './write-batches.ts'

/**
 * Octets per block. The next block waits until the kernel has taken this one, so that memory does not fill.
 */
const blockSize = 128 * 1024
/** Octets up to which a message is copied into one buffer, which costs less than writing its parts one by one. */
const copiedSize = 32 * 1024

/**
 * A TCP or TLS connection that exchanges commands and replies. It matches replies to commands by counting. An extra
 * reply, malformed input or a late reply ends the connection. Nothing here throws because of what the server does.
 */
export class SmtpConnection {
  /** `mx.x.test [192.0.2.1]:25` */
  readonly server: string
  readonly timeouts: SmtpTimeouts
  readonly deadline: Deadline
  /** Called once, when the connection ends. */
  onEnd: (() => void) | null = null
  /** Records the conversation. Null between transactions. */
  dialogue: Dialogue | null
  tls: TlsOutcome | null = null
  /** The shortest time in which commands were answered, in ms. It is close to the network's round trip. */
  roundTrip = Number.POSITIVE_INFINITY
  /** The time in which the last final dot was answered, in ms. */
  dotAnswered = Number.POSITIVE_INFINITY
  #target: SmtpTarget
  #redact: ((text: string) => string) | null
  #socket: Socket
  #reader: ReplyReader
  #stage: Stage = 'connect'
  #failure: SmtpError | null = null
  /** Exchanges in the order in which the server answers them. The second one is the envelope behind a final dot. */
  #exchanges: SmtpExchange[] = []
  /** Wakes the caller that waits for a connection, a handshake, a place or a drained buffer. */
  #wake: (() => void) | null = null
  #handshaking = false
  /** Receives the server's octets once TLS is spoken; null: no TLS. */
  #transport: TlsTransport | null = null
  #opening: Promise<SmtpError | null> | null = null
  /** The proxy, if the connection goes through one. It may not have answered yet. */
  readonly #proxy: OutgoingProxy | null
  #isAtProxy = false

  constructor(target: SmtpTarget, dialogue: Dialogue) {
    this.#target = target
    this.#redact = redaction(target.credentials)
    this.server = serverName(target)
    this.timeouts = { ...defaultTimeouts, ...target.timeouts }
    this.dialogue = dialogue
    dialogue.connection = this
    this.deadline = new Deadline(() => {
      if (this.#isAtProxy) this.#failAtProxy('does not answer')
      else this.fail('timeout', `took too long over ${waitingFor[this.#stage]}`)
    })
    this.#reader = new ReplyReader(this.#onReply)
    this.#proxy = target.proxy ?? null
    if (this.#proxy !== null) {
      this.#socket = socketToProxy(this.#proxy)
      this.#opening = this.#throughProxy(this.#proxy)
      return
    }
    this.#socket = socketToServer(target, (octets) => {
      if (this.#transport === null) this.#onData(octets)
      else this.#transport.brought(Buffer.from(octets))
    })
    this.#socket.on('error', this.#onError)
    this.#socket.on('close', this.#onClose)
  }

  /** The error that ended the connection; null while it lives. */
  get failure(): SmtpError | null {
    return this.#failure
  }

  /** Whether the server still has to answer something. */
  get isAwaiting(): boolean {
    return this.#exchanges.length > 0
  }

  /** The answer that the server owes now; null: none. */
  get owed(): OwedAnswer | null {
    const { runsFor, passesIn } = this.deadline
    const step = this.#owedStep()
    if (step === null || passesIn === Number.POSITIVE_INFINITY) return null
    const now = Date.now()
    return { server: this.server, step, since: Math.round(now - runsFor), until: Math.round(now + passesIn) }
  }

  #owedStep(): OwedStep | null {
    if (this.#failure !== null || this.#stage === 'idle') return null
    if (this.#isAtProxy) return 'proxy'
    if (this.#handshaking) return 'tls'
    if (this.isAwaiting || this.#stage === 'connect') return this.#stage
    return this.#stage === 'data' ? 'message' : null
  }

  /** The remote address. */
  get address(): string {
    return this.#target.address
  }

  /** Waits for the TCP connection. May be called more than once. */
  opened(): Promise<SmtpError | null> {
    this.#opening ??= this.#opened()
    return this.#opening
  }

  async #opened(): Promise<SmtpError | null> {
    if (this.#failure) return this.#failure
    this.deadline.set(this.timeouts.connect)
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#socket.once('connect', resolve)
    })
    this.#wake = null
    if (this.#failure) return this.#failure
    this.deadline.clear()
    this.dialogue?.note(`connected to ${this.server}`)
    this.#listen()
    return null
  }

  async #throughProxy(proxy: OutgoingProxy): Promise<SmtpError | null> {
    const { address, port, localAddress = '' } = this.#target
    const { connect } = this.timeouts
    this.#isAtProxy = true
    this.deadline.set(Math.min(connect, PROXY_ANSWERS_MS))
    const socket = this.#socket
    try {
      await openTunnel(socket, proxy, { from: localAddress, to: { address, port } }, () => {
        this.#isAtProxy = false
        this.deadline.set(connect)
      })
    } catch (error) {
      if (this.#failure) return this.#failure
      if (!(error instanceof ProxyFault)) throw error
      const { kind, message } = error
      if (kind !== 'server') return this.#failAtProxy(message)
      return this.fail('connect', `${message} (through ${proxyName(proxy)})`)
    }
    if (this.#failure) return this.#failure
    this.deadline.clear()
    this.dialogue?.note(`connected to ${this.server} through ${proxyName(proxy)}`)
    socket.on('error', this.#onError).on('close', this.#onClose).on('data', this.#onData)
    this.#listen()
    return null
  }

  /**
   * Encrypts the connection from here on. Octets that arrived before, beyond the awaited replies, were not encrypted
   * and may be an attacker's. They end the connection, because they must not be read as if they were protected (RFC
   * 3207 4.2; CVE-2011-0411 and similar).
   */
  async startTls(stage: 'connect' | 'starttls'): Promise<SmtpError | null> {
    if (this.#failure) return this.#failure
    const plain = this.#socket
    if (!this.#reader.clean) {
      return this.fail('protocol', 'sent more in clear after its answer to STARTTLS')
    }
    this.#stage = stage
    this.#handshaking = true
    this.deadline.set(this.timeouts[stage])
    // From now on the TLS layer receives the data and reports the errors.
    plain.off('end', this.#onClose).off('close', this.#onClose).off('error', this.#onError)
    plain.off('data', this.#onData)
    plain.on('error', () => {})
    plain.pause()
    const { transport, socket, done } = encrypt(plain, this.#target)
    this.#transport = transport
    this.#socket = socket
    let refusal: string | null = null
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      done.then(
        (outcome) => {
          this.tls = outcome
          resolve()
        },
        (error: Error) => {
          refusal = error.message
          resolve()
        },
      )
    })
    this.#wake = null
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    if (this.#failure) return this.#failure
    if (refusal !== null) return this.fail('tls', `failed the TLS handshake: ${refusal}`)
    this.#handshaking = false
    this.deadline.clear()
    socket.on('data', this.#onData)
    const { protocol, doubt } = this.tls!
    this.dialogue?.note(`${protocol}, certificate ${doubt === null ? 'verified' : `not verified (${doubt})`}`)
    this.#listen()
    return null
  }

  /**
   * Sends commands in one write and collects one reply for each stage; the greeting is a stage without a
   * command. Each reply has its own deadline, counted from the reply before it. `shown` replaces the commands
   * in the record. Behind a message that is not answered yet, the replies to it come first.
   */
  exchange(
    commands: readonly string[],
    stages: readonly Stage[],
    {
      shown = commands,
      dialogue = this.dialogue,
    }: { shown?: readonly string[]; dialogue?: Dialogue | null } = {},
  ): Promise<ExchangeResult> {
    if (this.#failure) return Promise.resolve({ replies: [], error: this.#failure })
    if (commands.length > 0) {
      for (const command of shown) dialogue?.sent(command)
      this.#socket.write(`${commands.join('\r\n')}\r\n`, 'utf8')
    }
    const { exchange, answer } = this.#expect(stages, dialogue)
    if (commands.length > 0 && this.#exchanges[0] === exchange) exchange.sentAt = performance.now()
    return answer
  }

  /**
   * Sends the message text and the final dot. `handOver` is called last, right before the block that ends with the dot,
   * and may take its time. The dot goes out in the same write as the end of the text, so no stall can separate them.
   * `onDot` is called when it has been written.
   */
  async sendMessage(
    message: StuffedMessage,
    handOver: HandoverGuard,
    onDot: () => void,
  ): Promise<HandoverResult> {
    this.#stage = 'data'
    const copied = message.size <= copiedSize
    const batches = copied ? [] : inBatches(message.blocks, blockSize)
    const last = batches.pop() ?? []
    for (const batch of batches) {
      if (!(await this.#writeBlock(batch))) break
    }
    if (this.#failure) return { replies: [], error: this.#failure, dotSent: false, abandoned: false }
    const allowed = handOver()
    if (allowed !== true && !(await this.#allowed(allowed))) {
      const error = this.#failure
      return { replies: [], error, dotSent: false, abandoned: error === null }
    }
    // TLS reports late that a record has left, so the dot counts as sent from here on.
    let dotSent = this.tls !== null
    const { exchange, answer } = this.#expect(['dot'])
    this.deadline.set(this.timeouts.block)
    const onWritten = (error?: Error | null) => {
      if (error || this.#exchanges[0] !== exchange) return
      dotSent = true
      this.deadline.liftLimit()
      this.deadline.set(this.timeouts.dot)
    }
    const socket = this.#socket
    const sentAt = performance.now()
    if (copied) {
      socket.write(Buffer.concat([...message.blocks, message.ending]), onWritten)
    } else {
      socket.cork()
      for (const block of last) socket.write(block)
      socket.write(message.ending, onWritten)
      socket.uncork()
    }
    onDot()
    const { replies, error } = await answer
    this.dotAnswered = performance.now() - sentAt
    return { replies, error, dotSent, abandoned: false }
  }

  /** Waits for the permission to send the dot. False also when the connection ends meanwhile. */
  async #allowed(allowed: boolean | Promise<boolean>): Promise<boolean> {
    if (typeof allowed === 'boolean') return allowed
    this.deadline.clear()
    const may = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(false)
      allowed.then(resolve)
    })
    this.#wake = null
    return may && this.#failure === null
  }

  /** Ends the connection for a reason. The first reason stays. */
  fail(kind: SmtpErrorKind, what: string, reply?: Reply, cause?: unknown): SmtpError {
    if (this.#failure) return this.#failure
    // A handshake that times out counts as a failed one, so that the caller may fall back to no TLS.
    const reportedKind = this.#handshaking && kind === 'timeout' ? 'tls' : kind
    return this.#ended(
      new SmtpError(reportedKind, this.#stage, clipMessage(`${this.server} ${what}`), reply, cause),
    )
  }

  #ended(error: SmtpError): SmtpError {
    this.#failure = error
    this.dialogue?.note(error.message)
    this.#release()
    return error
  }

  #failAtProxy(what: string): SmtpError {
    if (this.#failure) return this.#failure
    const proxy = `The proxy ${proxyName(this.#proxy!)} of the source address ${this.#target.localAddress}`
    return this.#ended(new SmtpError('proxy', this.#stage, clipMessage(`${proxy} ${what}`)))
  }

  /** Ends the connection from our side. */
  destroy(): void {
    if (this.#stage === 'dot') {
      this.fail('stopped', 'had the message when Postroad was stopped; the recipient may get it twice')
    } else this.fail('closed', `was disconnected by us during ${waitingFor[this.#stage]}`)
  }

  /**
   * Must be called when a transaction has ended. Unless the next exchange is already under way, any input before it
   * ends the connection. `next` records the following exchanges.
   */
  rest(next: Dialogue | null = null): void {
    if (this.#exchanges.length === 0) this.#stage = 'idle'
    this.dialogue = next
  }

  /** Sends QUIT and waits for the other side to close, for at most twice the QUIT time-out. */
  async quit(): Promise<void> {
    await this.exchange(['QUIT'], ['idle'])
    if (!this.#failure) {
      this.deadline.set(this.timeouts.quit)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        this.#socket.end()
      })
    }
    this.destroy()
  }

  #release(): void {
    this.deadline.stop()
    this.#socket.destroy()
    const unanswered = this.#exchanges
    this.#exchanges = []
    for (const exchange of unanswered) exchange.resolve()
    const wake = this.#wake
    this.#wake = null
    wake?.()
    const onEnd = this.onEnd
    this.onEnd = null
    onEnd?.()
  }

  #listen(): void {
    // Another connection may have been begun meanwhile, to its fallback.
    if (this.dialogue !== null) this.dialogue.connection = this
    this.#socket.on('end', this.#onClose)
    this.#socket.resume()
  }

  #expect(
    stages: readonly Stage[],
    dialogue = this.dialogue,
  ): { exchange: SmtpExchange; answer: Promise<ExchangeResult> } {
    const { promise: answer, resolve } = Promise.withResolvers<ExchangeResult>()
    const replies: Reply[] = []
    const exchange: SmtpExchange = {
      stages,
      replies,
      isBehind: this.isAwaiting,
      dialogue,
      resolve: () => resolve({ replies, error: replies.length < stages.length ? this.#failure : null }),
    }
    this.#exchanges.push(exchange)
    if (this.#exchanges.length === 1) this.#awaitNext(exchange)
    return { exchange, answer }
  }

  #awaitNext({ stages, replies, isBehind }: SmtpExchange): void {
    this.#stage = stages[replies.length]!
    const limit = replyTimeout(this.timeouts, this.#stage)
    this.deadline.set(isBehind ? Math.min(limit, this.timeouts.behindDot) : limit)
  }

  /** True once the kernel took everything; false when the connection ended first. */
  async #writeBlock(blocks: readonly Uint8Array[]): Promise<boolean> {
    if (this.#failure) return false
    this.deadline.set(this.timeouts.block)
    const socket = this.#socket
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      socket.cork()
      for (const block of blocks.slice(0, -1)) socket.write(block)
      socket.write(blocks.at(-1)!, () => resolve())
      socket.uncork()
    })
    this.#wake = null
    return this.#failure === null
  }

  #onData = (chunk: Buffer): void => {
    if (this.#failure) return
    try {
      this.#reader.push(chunk)
    } catch (error) {
      this.fail('protocol', `sent ${(error as Error).message}`)
    }
  }

  #onReply = (reply: Reply): void => {
    if (this.#failure) return
    if (this.#redact) reply.lines = reply.lines.map(this.#redact)
    this.#record(reply)
    const [exchange] = this.#exchanges
    if (exchange === undefined) {
      // A server may send 421 at any time, and closes the session after it (RFC 5321 3.8). Any other reply here is
      // unexpected.
      if (reply.code === 421) this.fail('reply', `closed the session: ${replyText(reply)}`, reply)
      else this.fail('protocol', `sent a reply to no command: ${replyText(reply)}`)
      return
    }
    if (reply.code === 421) {
      this.fail('reply', `closed the session: ${replyText(reply)}`, reply)
      return
    }
    exchange.replies.push(reply)
    if (exchange.sentAt !== undefined && exchange.replies.length === 1) {
      this.roundTrip = Math.min(this.roundTrip, performance.now() - exchange.sentAt)
    }
    if (exchange.replies.length < exchange.stages.length) {
      this.#awaitNext(exchange)
      return
    }
    this.deadline.clear()
    this.#exchanges.shift()
    exchange.resolve()
    const [next] = this.#exchanges
    if (next === undefined) return
    this.dialogue = next.dialogue
    this.#awaitNext(next)
  }

  #record(reply: Reply): void {
    const { dialogue } = this
    if (!dialogue) return
    const last = reply.lines.length - 1
    for (let index = 0; index < last; index++) dialogue.received(`${reply.code}-${reply.lines[index]}`)
    dialogue.received(`${reply.code} ${reply.lines[last]}`)
  }

  #onError = (error: NodeJS.ErrnoException): void => {
    if (this.#isUnknownToProxy()) return
    const reason = error.code ?? error.message
    if (this.#stage === 'connect') this.fail('connect', connectFault(reason), undefined, error)
    else
      this.fail(
        'closed',
        `broke the connection (${reason}) during ${waitingFor[this.#stage]}`,
        undefined,
        error,
      )
  }

  /** A server that has closed its half will not answer any more, so a half-open connection is a closed one. */
  #onClose = (): void => {
    if (this.#isUnknownToProxy()) return
    this.fail('closed', `closed the connection during ${waitingFor[this.#stage]}`)
  }

  /** The PROXY protocol has no answers: a proxy that cannot connect to the server ends our connection instead. */
  #isUnknownToProxy(): boolean {
    if (this.#proxy?.protocol !== 'proxy' || this.#failure) return false
    if (this.#stage !== 'greeting' || this.#exchanges.length === 0) return false
    this.fail('connect', `cannot be reached, or hung up (through ${proxyName(this.#proxy)})`)
    return true
  }
}
