/**
 * Turns of TLS handshakes. Each takes milliseconds of the main thread (a signature and a key agreement) before anything
 * is known of the client, and a hundred clients may begin theirs at the same moment. So each turn of the event loop
 * begins one, and source addresses take turns. Later octets of a client are not held back, so the number under way is
 * bounded: low while the costly part is still ahead, and higher once the server has answered and waits a network round
 * trip for the client.
 */
import type { Socket } from 'node:net'
import { CompanyTurns } from '../../common/company-turns.ts'

/** The most handshakes under way at once, and the ms after which one loses its place to a waiting one. */
const UNDER_WAY = { most: 64, givesWay: 2_000 }
/** The same limits for handshakes that the server has not answered yet. */
const UNANSWERED = { most: 16, givesWay: 1_000 }
/**
 * The fewest octets of a server's answer with a signature. A shorter answer only asks for another ClientHello
 * (HelloRetryRequest, RFC 8446 4.1.4).
 */
const ANSWER = 160
/** Ms between looks for handshakes that the server has answered. */
const LOOKS_EVERY = 20
/** Ms that a connection may wait for its client's first octets and for its turn. */
const PATIENCE = 10_000

export class Handshakes {
  /** Functions that begin a handshake. They return false when the client has disconnected. */
  readonly #waiting = new CompanyTurns<() => boolean>()
  /** By connection, the oldest first: the monotonic ms when the handshake was begun. */
  readonly #underWay = new Map<Socket, number>()
  /** A subset of `#underWay`: the octets that each connection had written when its handshake was begun. */
  readonly #unanswered = new Map<Socket, number>()
  readonly #giveWay: (socket: Socket) => void
  #begunInTurn = false
  #timer: NodeJS.Timeout | undefined

  /** `giveWay` ends the connection, which must lead to `ended`. */
  constructor(giveWay: (socket: Socket) => void) {
    this.#giveWay = giveWay
  }

  /**
   * Calls `begin` when the client has sent its first octets and the turn of its party has come. The handshake is under
   * way until `ended`.
   */
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
        // The event without octets may mean the end of the stream, which Node.js reports only after a read.
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

  /** Must be called when a handshake has succeeded, failed or been given up. Has no effect if it is not under way. */
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

  /** When there is no room, ends the oldest handshake if its time is over, or schedules another look. */
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
