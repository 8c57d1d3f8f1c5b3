/** The two directions of a session: lines and octets that arrive, and replies that leave together. */
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { encrypt } from '../network/encrypted-socket.ts'
import { Input, InputEndError } from './input.ts'
import { replyLines, type SubmissionReply } from './reply.ts'

/** Ms that a client may take to read its replies. */
const DRAIN_WITHIN = 30_000
/** The most octets of replies that the client has not read yet. */
const MAX_UNREAD = 64 * 1024
/** Ms for which a connection stays open after its last reply, so that its client can read it. */
const LINGER = 1_000

/**
 * The most octets read ahead on a connection while nothing takes its input. The limit is low because a TLS record may
 * have a single octet, and each record is decrypted and stored separately.
 */
const READ_AHEAD = 1_024

/** Calls `begin` when the handshake of a connection may begin, unless the client disconnects before. */
type HandshakeTurn = (socket: Socket, begin: () => void) => void

/** Returns null to go on at once, or a promise that resolves when these octets may be processed. */
type OctetTurn = (octets: number) => Promise<void> | null

export class Channel {
  #socket: Socket
  readonly #turn: OctetTurn
  #input: Input
  #out = ''

  constructor(socket: Socket, turn: OctetTurn) {
    this.#socket = socket
    this.#turn = turn
    this.#input = new Input(socket)
  }

  /** The TLS socket, once the connection is encrypted. */
  get socket(): Socket {
    return this.#socket
  }

  /** Whether unread input has arrived. */
  get more(): boolean {
    return this.#input.more
  }

  /** Whether a read is waiting for input. */
  get waiting(): boolean {
    return this.#input.waiting
  }

  /** Queues a reply. It is sent with the next flush, or when the session has to wait for the next line. */
  say(reply: SubmissionReply): void {
    this.#out += replyLines(reply)
  }

  /** The next line, within `ms` (see Input), in the session's turn. */
  async line(ms: number): Promise<Buffer> {
    let line = this.#input.takeLine()
    if (line === null || this.#out.length > MAX_UNREAD) await this.flush()
    line ??= await this.#input.line(ms)
    const turn = this.#turn(line.length)
    if (turn !== null) await turn
    return line
  }

  /** Octets as they arrive, within `ms` (see Input), each piece in the session's turn. */
  pieces(take: (piece: Buffer) => number | null, ms: number): Promise<void> {
    return this.#input.pieces(take, ms, this.#turn)
  }

  /** Makes the waiting read, and all later ones, fail with this error. */
  interrupt(error: Error): void {
    this.#input.interrupt(error)
  }

  async flush(): Promise<void> {
    if (this.#out === '') return
    const out = this.#out
    this.#out = ''
    if (this.#socket.destroyed) throw new InputEndError()
    this.#socket.write(out)
    if (this.#socket.writableLength <= MAX_UNREAD) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#socket.destroy(), DRAIN_WITHIN)
    this.#socket.once('drain', resolve).once('close', resolve)
    await promise
    clearTimeout(timer)
  }

  /**
   * Switches to TLS, in the turn of `party`. Rejects with InputEndError when the handshake fails; the connection is
   * closed then.
   */
  async encrypt(secureContext: SecureContext, party: string, turn: HandshakeTurn): Promise<void> {
    this.#input.detach()
    const plain = this.#socket
    const { promise, resolve } = Promise.withResolvers<TLSSocket | null>()
    const left = () => resolve(null)
    plain.once('close', left)
    turn(plain, () => encrypt(plain, { secureContext, party, readAhead: READ_AHEAD }, resolve))
    const secure = await promise
    plain.off('close', left)
    if (secure === null) throw new InputEndError()
    this.#socket = secure
    this.#input = new Input(secure)
  }

  /** Closes the connection once all replies have left. */
  leave(): void {
    const socket = this.#socket
    if (socket.destroyed) return
    this.#input.detach()
    // Further input is dropped: closing a connection with unread octets resets it, and the reset can overtake the
    // reply.
    socket.on('data', () => {}).resume()
    socket.end(this.#out)
    this.#out = ''
    const cut = setTimeout(() => socket.destroy(), LINGER)
    socket.once('close', () => clearTimeout(cut))
  }
}
