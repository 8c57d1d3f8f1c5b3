/**
 * A stream that TLS is spoken over. Node.js would hand all that a connection brings, half a megabyte in one turn of the
 * event loop, to OpenSSL, which works through it before anything else is served: 19,000 KeyUpdates (RFC 8446 4.6.3),
 * each of which makes new keys, are a quarter of a second. Here it is handed over by the slice, in turns.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { octetTurns } from '../common/octet-turns.ts'

/** Octets that are handed over at once: some 300 KeyUpdates are about four ms. */
const SLICE = 8 * 1024

type Written = { chunk: Buffer }[]
type Done = (error?: Error | null) => void

export class TlsTransport extends Duplex {
  readonly #socket: Socket
  readonly #party: string
  /** What the connection has brought and was not handed over. */
  #rest: Buffer | null = null
  #isWaiting = false
  /** More is wanted by whoever speaks TLS. */
  #isWanted = false
  #hasEnded = false

  /** `party`: whose turns it takes, a company or an address. */
  constructor(socket: Socket, party: string) {
    super({ readableHighWaterMark: SLICE })
    this.#socket = socket
    this.#party = party
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.#closed())
    socket.on('end', () => {
      this.#hasEnded = true
      this.#give()
    })
    // A socket with `onread` hands its octets to its owner, who calls `brought`.
    socket.on('data', (octets: Buffer) => this.brought(octets))
    // It is read when somebody wants more.
    socket.pause()
  }

  /** The connection has brought this, which is this object's from here on. */
  brought(octets: Buffer): void {
    this.#rest = this.#rest === null ? octets : Buffer.concat([this.#rest, octets])
    this.#give()
    if (this.#rest !== null) this.#socket.pause()
  }

  /** A connection that the other end has ended may close before all that it brought is read. */
  #closed(): void {
    if (this.#hasEnded && !this.readableEnded) this.once('end', () => this.destroy())
    else this.destroy()
  }

  override _read(): void {
    this.#isWanted = true
    if (this.#rest === null) this.#socket.resume()
    this.#give()
  }

  /** As much as is wanted, and as this turn of the event loop has time for. */
  #give(): void {
    while (this.#isWanted && this.#rest !== null) {
      if (this.#isWaiting) return
      if (octetTurns.areOver) {
        this.#isWaiting = true
        octetTurns.take(this.#party, () => {
          this.#isWaiting = false
          if (this.#rest !== null && this.#isWanted) this.#giveSlice()
          this.#give()
        })
        return
      }
      this.#giveSlice()
    }
    if (this.#rest === null && this.#hasEnded) this.push(null)
    else if (this.#rest === null && this.#isWanted) this.#socket.resume()
  }

  #giveSlice(): void {
    const rest = this.#rest!
    this.#rest = rest.length > SLICE ? rest.subarray(SLICE) : null
    // Set before: who takes the slice in may ask for more at once.
    this.#isWanted = false
    const takesMore = this.push(rest.length > SLICE ? rest.subarray(0, SLICE) : rest)
    if (takesMore) this.#isWanted = true
  }

  override _write(octets: Buffer, _encoding: string, done: Done): void {
    this.#socket.write(octets, done)
  }

  override _writev(all: Written, done: Done): void {
    this.#socket.cork()
    for (const [index, { chunk }] of all.entries()) {
      if (index === all.length - 1) this.#socket.write(chunk, done)
      else this.#socket.write(chunk)
    }
    this.#socket.uncork()
  }

  override _final(done: Done): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = null
    this.#socket.destroy()
    done(error)
  }
}
