/**
 * The input of a client, read on demand: lines, then the octets of a message. While nothing reads, the connection holds
 * the client back.
 */
import type { Socket } from 'node:net'

/**
 * Octets of a line without its end. RFC 5321 4.5.3.1.4 specifies 512, and extensions add to it (RFC 6531 3.4, RFC 1870
 * 3); no valid credentials here come near the 12,288 that RFC 4954 4 allows for them.
 */
const MAX_LINE = 2_048

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)

/** A line cannot be read, nor can the input after it. */
export class LineError extends Error {
  override name = 'LineError'
}

/** No input came in time. */
export class InputTimeout extends Error {
  override name = 'InputTimeout'
}

/** The client has disconnected. */
export class InputEndError extends Error {
  override name = 'InputEndError'
}

export class Input {
  readonly #socket: Socket
  #pending: Buffer = EMPTY
  #paused = true
  #end: Error | null = null
  #wake: (() => void) | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.pause()
    socket.on('data', this.#onData)
    for (const event of ['end', 'close', 'error']) socket.on(event, this.#onEnd)
  }

  readonly #onData = (chunk: Buffer) => {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    if (this.#wake !== null) this.#wake()
    else {
      // No read is waiting for this chunk, so further input is left with the client.
      this.#paused = true
      this.#socket.pause()
    }
  }

  readonly #onEnd = () => this.interrupt(new InputEndError())

  /** Makes the waiting read and all later ones fail with this error. A later error does not replace the first. */
  interrupt(error: Error): void {
    this.#end ??= error
    this.#wake?.()
  }

  /** Whether unread input has arrived. */
  get more(): boolean {
    return this.#pending.length > 0
  }

  /** Whether a read is waiting for input. */
  get waiting(): boolean {
    return this.#wake !== null
  }

  /** Stops reading, and puts unread input back into the socket for another reader. */
  detach(): void {
    this.#socket.pause()
    this.#socket.off('data', this.#onData)
    for (const event of ['end', 'close', 'error']) this.#socket.off(event, this.#onEnd)
    if (this.more) this.#socket.unshift(this.#pending)
    this.#pending = EMPTY
  }

  /** The next line, as `takeLine` returns it. Rejects with InputTimeout after `ms`, and with InputEndError. */
  async line(ms: number): Promise<Buffer> {
    const until = performance.now() + ms
    for (;;) {
      const line = this.takeLine()
      if (line !== null) return line
      await this.#wait(until)
    }
  }

  /**
   * The next line, without its CRLF; null while it is incomplete. Only CRLF ends a line (RFC 5321 2.3.8): some servers
   * take a bare CR or LF for an end and others do not, which attackers can exploit. Throws LineError.
   */
  takeLine(): Buffer | null {
    const pending = this.#pending
    const end = pending.indexOf(LF)
    if (end > MAX_LINE || (end < 0 && pending.length > MAX_LINE)) {
      throw new LineError(`a line may have at most ${MAX_LINE} octets`)
    }
    if (end < 0) return null
    if (pending[end - 1] !== CR) throw new LineError('lines must end with CR LF, but an LF came alone')
    const line = pending.subarray(0, end - 1)
    if (line.includes(CR)) throw new LineError('lines must end with CR LF, but a CR came alone')
    this.#pending = pending.subarray(end + 1)
    return line
  }

  /**
   * Passes pieces of input to `take` until it returns how many octets of a piece it took: the rest stays for the next
   * line.
   * `turn` may delay each piece. Rejects like `line`, and with errors of `take`.
   */
  async pieces(
    take: (piece: Buffer) => number | null,
    ms: number,
    turn: (octets: number) => Promise<void> | null = () => null,
  ): Promise<void> {
    const until = performance.now() + ms
    for (;;) {
      if (this.#pending.length === 0) await this.#wait(until)
      const held = turn(this.#pending.length)
      if (held !== null) await held
      const piece = this.#pending
      this.#pending = EMPTY
      const taken = take(piece)
      if (taken === null) continue
      // A copy, because the taker of the piece may free its memory.
      this.#pending = Buffer.from(piece.subarray(taken))
      return
    }
  }

  #wait(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) return reject(this.#end)
      const timer = setTimeout(
        () => this.interrupt(new InputTimeout()),
        Math.max(0, until - performance.now()),
      )
      this.#wake = () => {
        this.#wake = null
        clearTimeout(timer)
        if (this.#end === null) resolve()
        else reject(this.#end)
      }
      if (!this.#paused) return
      this.#paused = false
      this.#socket.resume()
    })
  }
}
