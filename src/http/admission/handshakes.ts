/**
 * Turns of TLS handshakes. Each is milliseconds of the main thread (a signature, and a key agreed on) before anything
 * is known of the client, and a hundred clients may begin theirs in the same moment. So in a turn of the event loop one
 * is begun, source addresses taking turns. What a client sends next is not held back, so the number under way is
 * bounded: closely while the costly part is still ahead, and widely once the server has answered and waits for the
 * client, which takes a round trip of its network.
 */
import type { Socket } from 'node:net'
import { CompanyTurns } from '../../common/company-turns.ts'

/** Handshakes under way at a time, and ms after which one gives its place to others that wait. */
const UNDER_WAY = { most: 64, givesWay: 2_000 }
/** The same of those that the server has not answered yet. */
const UNANSWERED = { most: 16, givesWay: 1_000 }
/**
 * Octets of an answer: with fewer the server has asked for another ClientHello (HelloRetryRequest, RFC 8446 4.1.4), and
 * the signature is still ahead.
 */
const ANSWER = 160
/** Ms until it is looked again who has been answered. */
const LOOKS_EVERY = 20
/** Ms that a connection may wait for its client's first octets and for its turn. */
const PATIENCE = 10_000

export class Handshakes {
  /** Calls that begin; false: the client has left. */
  readonly #waiting = new CompanyTurns<() => boolean>()
  /** By connection, the oldest first: monotonic ms when each was begun. */
  readonly #underWay = new Map<Socket, number>()
  /** Of these: what each connection had written when its handshake was begun, in octets. */
  readonly #unanswered = new Map<Socket, number>()
  readonly #giveWay: (socket: Socket) => void
  #begunInTurn = false
  #timer: NodeJS.Timeout | undefined

  /** `giveWay` ends the connection, and says so by `ended`. */
  constructor(giveWay: (socket: Socket) => void) {
    this.#giveWay = giveWay
  }

  /** Calls `begin` when the client has begun and it is the turn of its party. It is under way until `ended`. */
  take(socket: Socket, party: string, begin: () => void): void {
    const late = setTimeout(() => socket.destroy(), PATIENCE)
    const leave = () => socket.destroy()
    const forget = () => clearTimeout(late)
    socket.once('end', leave).once('close', forget)
    const turn = (): boolean => {
      forget()
      socket.off('end', leave).off('close', forget)
      if (socket.destroyed) return false
      this.#underWay.set(socket, performance.now())
      this.#unanswered.set(socket, socket.bytesWritten)
      begin()
      return true
    }
    const begun = () => {
      if (socket.readableLength === 0) {
        // It may be the end, which Node.js tells a reader alone.
        socket.read()
        return
      }
      socket.off('readable', begun)
      this.#waiting.push(party, turn)
      this.#next()
    }
    socket.on('readable', begun)
    if (socket.readableLength > 0) begun()
  }

  /** Done, failed or given up. Without effect on one that is not under way. */
  ended(socket: Socket): void {
    this.#unanswered.delete(socket)
    if (this.#underWay.delete(socket)) this.#next()
  }

  #next(): void {
    if (this.#begunInTurn || this.#waiting.length === 0) return
    this.#forgetAnswered()
    if (!this.#hasRoom(this.#unanswered, UNANSWERED) || !this.#hasRoom(this.#underWay, UNDER_WAY)) return
    while (this.#waiting.take()?.() === false);
    this.#begunInTurn = true
    setImmediate(() => {
      this.#begunInTurn = false
      this.#next()
    })
  }

  #forgetAnswered(): void {
    for (const [socket, before] of this.#unanswered) {
      if (socket.bytesWritten - before >= ANSWER) this.#unanswered.delete(socket)
    }
  }

  /** Where there is none, the oldest that has had its time gives way, or it is looked again later. */
  #hasRoom(sockets: Map<Socket, number>, { most, givesWay }: typeof UNDER_WAY): boolean {
    if (sockets.size < most) return true
    const [oldest] = sockets.keys()
    const left = this.#underWay.get(oldest!)! + givesWay - performance.now()
    if (left <= 0) this.#giveWay(oldest!)
    else this.#lookAgain(Math.min(left, LOOKS_EVERY))
    return false
  }

  #lookAgain(ms: number): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#next()
    }, ms)
    this.#timer.unref()
  }
}
