/** A connection of the attacker: writes the given octets as fast as the service reads them, and counts the answers. */
import net, { type Socket } from 'node:net'
import type { Statuses } from './order.ts'

/** Milliseconds without an octet in either direction after which the connection is given up. */
const PATIENCE = 60_000

export interface AbusePlace {
  port: number
  /** What an answer looks like, with its status. */
  answer: RegExp
  /** Whether a request is written no further once it has an answer. Over SMTP it is: each line has an answer. */
  endsAtAnswer: boolean
}

export class AbuseConnection {
  readonly #place: AbusePlace
  readonly #statuses: Statuses
  readonly #end: AbortSignal
  #socket: Socket | null = null
  /** Answers on this connection so far, and how many of them `answer` has waited for. */
  #answers = 0
  #seen = 0
  #wake: () => void = () => {}
  octets = 0

  constructor(place: AbusePlace, statuses: Statuses, end: AbortSignal) {
    this.#place = place
    this.#statuses = statuses
    this.#end = end
    end.addEventListener('abort', () => this.#wake())
  }

  /** Sends one request and waits for its answer. Connects if necessary. */
  async ask(request: Uint8Array[]): Promise<void> {
    if (await this.write(request)) await this.answer()
  }

  /** False when the service cut the connection, or the time is over. */
  async write(octets: Uint8Array[]): Promise<boolean> {
    const socket = await this.#connected()
    if (socket === null) return false
    for (const piece of octets) {
      if (this.#gone(socket) || this.#isAnswered) break
      this.octets += piece.length
      socket.write(piece)
      while (socket.writableNeedDrain && !this.#gone(socket) && !this.#isAnswered) await this.#news()
    }
    return !this.#gone(socket)
  }

  /** Resolves when an answer has arrived, or none will. Closes the connection if part of the request is not sent yet. */
  async answer(): Promise<void> {
    const socket = this.#socket
    if (socket === null) return
    while (this.#answers === this.#seen && !this.#gone(socket)) await this.#news()
    this.#seen = this.#answers
    if (socket.writableNeedDrain) this.close()
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  get #isAnswered(): boolean {
    return this.#place.endsAtAnswer && this.#answers > this.#seen
  }

  #gone(socket: Socket): boolean {
    return socket.destroyed || this.#end.aborted
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #connected(): Promise<Socket | null> {
    const open = this.#socket
    if (open !== null && !open.destroyed) return Promise.resolve(open)
    if (this.#end.aborted) return Promise.resolve(null)
    const socket = net.connect({ port: this.#place.port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    this.#answers = 0
    this.#seen = 0
    socket.setTimeout(PATIENCE, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('drain', () => this.#wake())
    socket.on('data', (chunk) => {
      for (const [, status] of chunk.toString('latin1').matchAll(this.#place.answer)) {
        this.#answers++
        this.#count(status!)
      }
      this.#wake()
    })
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      if (this.#socket !== socket) return
      if (this.#answers === 0 && !this.#end.aborted) this.#count('cut')
      this.#wake()
    })
    return new Promise((resolve) => {
      socket.once('connect', () => resolve(socket))
      socket.once('close', () => resolve(null))
    })
  }

  #count(status: string): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
  }
}
