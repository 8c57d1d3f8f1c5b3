/**
 * Turns of TLS handshakes. A handshake costs milliseconds of the main thread (a signature, and a key agreed on) before
 * anything is known of the client, and a hundred clients may begin theirs in the same moment. So one handshake begins in
 * a turn of the event loop, source addresses take turns, and few are under way at once, because nothing holds back what
 * the client of one sends next.
 */
import type { Socket } from 'node:net'
import { CompanyTurns } from '../../common/company-turns.ts'

/** Under way at a time, and ms after which one that is under way gives its place to others that wait. */
const AT_ONCE = 16
const GIVES_WAY = 1_000
/** Ms that a connection may wait for its client's first octets and for its turn. */
const PATIENCE = 10_000

export class Handshakes {
  /** Calls that begin; false: the client has left. */
  readonly #waiting = new CompanyTurns<() => boolean>()
  /** By connection, the oldest first: monotonic ms when it was begun. */
  readonly #underWay = new Map<Socket, number>()
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
    if (this.#underWay.delete(socket)) this.#next()
  }

  #next(): void {
    if (this.#begunInTurn || this.#waiting.length === 0) return
    if (this.#underWay.size >= AT_ONCE) {
      this.#makeRoom()
      return
    }
    while (this.#waiting.take()?.() === false);
    this.#begunInTurn = true
    setImmediate(() => {
      this.#begunInTurn = false
      this.#next()
    })
  }

  /** Ends the oldest handshake if its time is over; else looks again when it is. */
  #makeRoom(): void {
    const [oldest] = this.#underWay
    if (oldest === undefined) return
    const [socket, at] = oldest
    const left = at + GIVES_WAY - performance.now()
    if (left <= 0) {
      this.#giveWay(socket)
      return
    }
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#next()
    }, left)
    this.#timer.unref()
  }
}
