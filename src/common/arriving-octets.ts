/** Octets that come in chunks, as others choose to cut them. */
import { release } from './octets.ts'

/** From so many on they are put together while they arrive; fewer often come in one chunk. */
const IN_ONE_PIECE = 128 * 1024

/** Octets of a block that small chunks are put into. */
const BLOCK = 64 * 1024

/** A body as it arrives. Whoever sends an octet at a time must not have each kept as an object of its own. */
export class ArrivingOctets {
  /** A large body is filled as it arrives: so it is in memory once and not twice. */
  readonly #large: Buffer | null
  /** Of any other. */
  readonly #pieces: Buffer[] = []
  /** The last piece, with room behind what is in it. */
  #block: Buffer | null = null
  /** Octets in the large body, or in the block. */
  #filled = 0

  /** `declared`: how many there will be, where that is known. Then chunks have to be the caller's alone. */
  constructor(declared: number | null) {
    const isLarge = declared !== null && declared >= IN_ONE_PIECE
    this.#large = isLarge ? Buffer.allocUnsafeSlow(declared) : null
  }

  add(chunk: Buffer): void {
    if (this.#large !== null) {
      this.#filled += chunk.copy(this.#large, this.#filled)
      release(chunk)
      return
    }
    // Most bodies are one chunk.
    if (this.#pieces.length === 0 || chunk.length >= BLOCK / 4) {
      this.#close()
      this.#pieces.push(chunk)
      return
    }
    if (this.#block !== null && this.#filled + chunk.length > BLOCK) this.#close()
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK)
    this.#filled += chunk.copy(this.#block, this.#filled)
  }

  whole(): Buffer {
    if (this.#large !== null) return this.#large
    this.#close()
    if (this.#pieces.length === 1) return this.#pieces[0]!
    const whole = Buffer.concat(this.#pieces)
    this.release()
    return whole
  }

  release(): void {
    release(this.#large)
    this.#close()
    for (const piece of this.#pieces.splice(0)) release(piece)
  }

  #close(): void {
    if (this.#block !== null) this.#pieces.push(this.#block.subarray(0, this.#filled))
    this.#block = null
    this.#filled = 0
  }
}
