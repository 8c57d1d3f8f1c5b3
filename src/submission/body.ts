import { ArrivingOctets } from '../common/arriving-octets.ts'
import { release } from '../common/octets.ts'
import { Fault } from '../ingress/fault.ts'

/** Octets: a message of at least this announced size is assembled in one buffer while it arrives. */
const IN_ONE_PIECE = 128 * 1024

/** The octets of a message as they arrive. After a refusal none are kept, and the rest is only counted. */
export class ArrivingMessage {
  length = 0
  readonly #max: number
  readonly #received: (length: number) => void
  readonly #pieces = new ArrivingOctets(null)
  #whole: Buffer | null = null
  #filled = 0
  #refused: unknown = null
  readonly #cut: boolean

  /**
   * `size`: the announced size. `cut`: octets beyond `max` are dropped; otherwise the message is refused. `received`:
   * called with the length so far, and throws when there is no room for it.
   */
  constructor(
    size: number | null,
    { max, cut }: { max: number; cut: boolean },
    received: (length: number) => void,
  ) {
    this.#max = max
    this.#cut = cut
    this.#received = received
    if (size !== null && size >= IN_ONE_PIECE) this.#whole = Buffer.allocUnsafeSlow(Math.min(size, max))
  }

  add(octets: Buffer): void {
    const before = this.length
    this.length += octets.length
    if (this.#refused !== null) return
    try {
      if (this.length > this.#max && !this.#cut)
        throw new Fault({ code: 'body_too_large', max: this.#max, messageMax: this.#max })
      const room = this.#max - before
      if (room <= 0) return
      this.#received(Math.min(this.length, this.#max))
      this.#keep(octets.length > room ? octets.subarray(0, room) : octets)
    } catch (error) {
      this.#refused = error
    }
  }

  /** Frees the memory of a refused message. */
  dropRefused(): void {
    if (this.#refused === null) return
    release(this.#whole)
    this.#whole = null
    this.#pieces.release()
  }

  /** Throws the error that the message was refused with. */
  whole(): Buffer {
    if (this.#refused !== null) throw this.#refused
    if (this.#whole === null) return this.#pieces.whole()
    return this.#filled === this.#whole.length ? this.#whole : this.#whole.subarray(0, this.#filled)
  }

  #keep(octets: Buffer): void {
    if (this.#whole !== null && this.#filled + octets.length > this.#whole.length) {
      // The message is larger than announced.
      this.#pieces.add(this.#whole.subarray(0, this.#filled))
      this.#whole = null
    }
    if (this.#whole === null) this.#pieces.add(octets)
    else this.#filled += octets.copy(this.#whole, this.#filled)
  }
}
