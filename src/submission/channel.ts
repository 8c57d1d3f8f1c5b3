/** The two directions of a session: lines and octets that come, replies that leave together. */
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { encrypt } from '../network/encrypted-socket.ts'
import { Input, InputEnded } from './input.ts'
import { type Reply, written } from './reply.ts'

/** Ms that a client may take to read what it was answered. */
const DRAIN_WITHIN = 30_000
/** Octets of replies that nobody has read yet. */
const MAX_UNREAD = 64 * 1024
/** Ms for which a connection is kept after its last reply, for its client to read it. */
const LINGER = 1_000

/**
 * Octets after which a connection that nobody reads is left alone. A record of TLS may have a single octet, and each is
 * deciphered and kept by itself: a connection holds back its client by a few of them.
 */
const READ_AHEAD = 1_024

/** Calls `begin` when the handshake of a connection may begin; not if its client leaves before. */
export type HandshakeTurn = (socket: Socket, begin: () => void) => void

/** Null: go on; a promise resolves when so many octets may be worked on. */
export type TurnOfOctets = (octets: number) => Promise<void> | null

export class Channel {
  #socket: Socket
  readonly #turn: TurnOfOctets
  #input: Input
  #out = ''

  constructor(socket: Socket, turn: TurnOfOctets) {
    this.#socket = socket
    this.#turn = turn
    this.#input = new Input(socket)
  }

  /** The one that speaks TLS, once there is any. */
  get socket(): Socket {
    return this.#socket
  }

  /** Something has come that nobody has taken. */
  get more(): boolean {
    return this.#input.more
  }

  /** Somebody waits for what has not come yet. */
  get waiting(): boolean {
    return this.#input.waiting
  }

  /** Leaves with the next flush, or as soon as the next line is waited for. */
  say(reply: Reply): void {
    this.#out += written(reply)
  }

  /** The next line, within `ms` (see Input) and in its turn. */
  async line(ms: number): Promise<Buffer> {
    let line = this.#input.takeLine()
    if (line === null || this.#out.length > MAX_UNREAD) await this.flush()
    line ??= await this.#input.line(ms)
    const turn = this.#turn(line.length)
    if (turn !== null) await turn
    return line
  }

  /** Octets that come, within `ms` (see Input), each piece in its turn. */
  pieces(take: (piece: Buffer) => number | null, ms: number): Promise<void> {
    return this.#input.pieces(take, ms, this.#turn)
  }

  /** Whoever waits for input, and whoever will, has this error. */
  interrupt(error: Error): void {
    this.#input.interrupt(error)
  }

  async flush(): Promise<void> {
    if (this.#out === '') return
    const out = this.#out
    this.#out = ''
    if (this.#socket.destroyed) throw new InputEnded()
    this.#socket.write(out)
    if (this.#socket.writableLength <= MAX_UNREAD) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#socket.destroy(), DRAIN_WITHIN)
    this.#socket.once('drain', resolve).once('close', resolve)
    await promise
    clearTimeout(timer)
  }

  /**
   * TLS from here on, in the turns of `party`. Rejects with InputEnded when the handshake fails; then the connection is
   * gone.
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
    if (secure === null) throw new InputEnded()
    this.#socket = secure
    this.#input = new Input(secure)
  }

  /** Ends the connection, once all that was said has left. */
  leave(): void {
    const socket = this.#socket
    if (socket.destroyed) return
    this.#input.detach()
    // What still comes is dropped: a connection closed on unread octets is reset, and the reset can overtake the reply.
    socket.on('data', () => {}).resume()
    socket.end(this.#out)
    this.#out = ''
    const cut = setTimeout(() => socket.destroy(), LINGER)
    socket.once('close', () => clearTimeout(cut))
  }
}
