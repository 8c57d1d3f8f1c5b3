/** Octets that come in chunks, of sizes that the sender chooses. */
import { release } from './octets.ts'

/** A body of at least this many octets is collected while it arrives; a smaller one often comes in one chunk. */
const IN_ONE_PIECE = 128 * 1024

/** Size of a block that small chunks are collected in, in octets. */
const BLOCK = 64 * 1024

/** A body as it arrives. It keeps no object for each chunk, because a client may send one octet at a time. */
export class ArrivingOctets {
  /** A large body is filled while it arrives, so it is in memory once and not twice. */
  readonly #large: Buffer | null
  /** Pieces of any other body. */
  readonly #pieces: Buffer[] = []
  /** The last piece, with free room at its end. */
  #block: Buffer | null = null
  /** Octets in the large body, or in the block. */
  #filled = 0

  /** `declared`: the total number of octets, if known. If it is known, each chunk must be used by the caller alone. */
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
    // A buffer that is not filled to its end holds old memory there.
    if (this.#large !== null) return this.#large.subarray(0, this.#filled)
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
