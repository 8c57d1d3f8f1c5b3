/**
 * What a client sends, taken as it is asked for: lines, then the octets of a message. While nobody asks, its connection
 * holds the client back.
 */
import type { Socket } from 'node:net'

/**
 * Octets of a line without its end. RFC 5321 4.5.3.1.4 has 512, to which extensions add (RFC 6531 3.4, RFC 1870 3); no
 * credentials that could be right here come near the 12,288 that RFC 4954 4 has for them.
 */
const MAX_LINE = 2_048

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)

/** A line cannot be read, and what follows it cannot be told apart. */
export class LineError extends Error {
  override name = 'LineError'
}

/** Nothing came in time. */
export class InputTimeout extends Error {
  override name = 'InputTimeout'
}

/** The client is not there any more. */
export class InputEnded extends Error {
  override name = 'InputEnded'
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
      // Nobody has asked for this one: the next is left with the client.
      this.#paused = true
      this.#socket.pause()
    }
  }

  readonly #onEnd = () => this.interrupt(new InputEnded())

  /** Whoever waits, and whoever will, has this error; the first one counts. */
  interrupt(error: Error): void {
    this.#end ??= error
    this.#wake?.()
  }

  /** Something has come that nobody has taken. */
  get more(): boolean {
    return this.#pending.length > 0
  }

  /** Somebody waits for what has not come yet. */
  get waiting(): boolean {
    return this.#wake !== null
  }

  /** No more is taken from the socket; another reads on, from what nobody has taken. */
  detach(): void {
    this.#socket.pause()
    this.#socket.off('data', this.#onData)
    for (const event of ['end', 'close', 'error']) this.#socket.off(event, this.#onEnd)
    if (this.more) this.#socket.unshift(this.#pending)
    this.#pending = EMPTY
  }

  /** The next line, as `takeLine` gives it. Rejects with InputTimeout after `ms`, and with InputEnded. */
  async line(ms: number): Promise<Buffer> {
    const until = performance.now() + ms
    for (;;) {
      const line = this.takeLine()
      if (line !== null) return line
      await this.#wait(until)
    }
  }

  /**
   * The next line, without its CRLF; null while it has not come. A line may end with CRLF alone (RFC 5321 2.3.8): a CR
   * or LF by itself is an end to some and none to others, and who speaks through one of them speaks with two tongues.
   * Throws LineError.
   */
  takeLine(): Buffer | null {
    const pending = this.#pending
    const end = pending.indexOf(LF)
    if (end > MAX_LINE || (end < 0 && pending.length > MAX_LINE)) {
      throw new LineError(`a line may have ${MAX_LINE} octets`)
    }
    if (end < 0) return null
    if (pending[end - 1] !== CR) throw new LineError('a line ends with CR LF, and an LF came alone')
    const line = pending.subarray(0, end - 1)
    if (line.includes(CR)) throw new LineError('a line ends with CR LF, and a CR came alone')
    this.#pending = pending.subarray(end + 1)
    return line
  }

  /**
   * Hands over what comes, in pieces, until `take` says how much of the last one it took: the rest is left for the next
   * line. `turn` may hold back each piece. Rejects as `line` does, and with what `take` throws.
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
      // Of its own: whoever took the rest may give its memory back.
      this.#pending = Buffer.from(piece.subarray(taken))
      return
    }
  }

  /** Until something has come. */
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
