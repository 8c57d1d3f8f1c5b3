/**
 * The stream under TLS. Node.js would pass all the input of a connection, half a megabyte in one turn of the event
 * loop, to OpenSSL, which processes it before anything else is served: 19,000 KeyUpdates (RFC 8446 4.6.3), each of
 * which derives new keys, take a quarter of a second. This stream passes it on in slices, in turns.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { octetTurns } from '../common/octet-turns.ts'

/** Octets that are passed on at once: some 300 KeyUpdates take about 4 ms. */
const SLICE = 8 * 1024

type Written = { chunk: Buffer }[]
type WriteCallback = (error?: Error | null) => void

export class TlsTransport extends Duplex {
  readonly #socket: Socket
  readonly #party: string
  /** Input that was not passed on yet. */
  #rest: Buffer | null = null
  #isWaiting = false
  /** True when TLS asks for more input. */
  #isWanted = false
  #hasEnded = false

  /** `party`: the company or address in whose turns the input is read. */
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
    // A socket with `onread` delivers its octets to its owner, who calls `brought`.
    socket.on('data', (octets: Buffer) => this.brought(octets))
    // The socket is read only when TLS asks for more.
    socket.pause()
  }

  /** Accepts octets of the connection, which belong to this object from now on. */
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

  /** Passes on as much input as TLS asks for and the present turn of the event loop has time for. */
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
    // Set before `push`, whose consumer may ask for more at once.
    this.#isWanted = false
    const takesMore = this.push(rest.length > SLICE ? rest.subarray(0, SLICE) : rest)
    if (takesMore) this.#isWanted = true
  }

  override _write(octets: Buffer, _encoding: string, callback: WriteCallback): void {
    this.#socket.write(octets, callback)
  }

  override _writev(all: Written, callback: WriteCallback): void {
    this.#socket.cork()
    for (const [index, { chunk }] of all.entries()) {
      if (index === all.length - 1) this.#socket.write(chunk, callback)
      else this.#socket.write(chunk)
    }
    this.#socket.uncork()
  }

  override _final(callback: WriteCallback): void {
    this.#socket.end(() => callback())
  }

  override _destroy(error: Error | null, callback: WriteCallback): void {
    this.#rest = null
    this.#socket.destroy()
    callback(error)
  }
}
