/**
 * The body hash of a DKIM signature: SHA-256 over the body in "relaxed" canonical form (RFC 6376 3.4.4), computed from
 * the body in pieces, without copying the pieces that are canonical already.
 *
 * For a body "relaxed" means: white space at the end of a line is removed, a run of white space within a line becomes
 * one space, empty lines at the end are removed, and a body that is not empty ends with CRLF.
 */
import { createHash, type Hash, hash } from 'node:crypto'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SP = 0x20

/**
 * Octets per window. Only a window with an octet that is not canonical is walked byte by byte, so one tab does not slow
 * down a 10 MB attachment.
 */
const WINDOW = 32 * 1024
/** Octets that are hashed in one go. At about 2 GB/s they block the event loop for a fraction of a millisecond. */
const STRETCH = 512 * 1024
/** The buffer for rewritten windows. It is shared, because it is filled and hashed within one call. */
const scratch = Buffer.allocUnsafeSlow(2 * WINDOW)
const NEW_LINES = Buffer.from('\r\n'.repeat(512))

const isPlain = (byte: number) => byte !== SP && byte !== TAB && byte !== CR && byte !== LF

/** True when the bytes, which stand between two plain ones, are canonical. */
function isCanonical(bytes: Buffer): boolean {
  if (bytes.includes(TAB)) return false
  // A plain loop: on text, where every sixth byte is a space, native searches for two bytes are slower. Of two
  // neighbours one is at an odd index, so only those are looked at.
  const length = bytes.length
  for (let index = 1; index < length; index += 2) {
    const byte = bytes[index]!
    if (byte > SP) continue
    if (byte === SP) {
      const next = bytes[index + 1]
      if (next === SP || next === CR || bytes[index - 1] === SP) return false
    } else if (byte === CR && bytes[index - 1] === SP) return false
  }
  return true
}

/**
 * True when a part of a body, from the beginning of a line up to a line break outside of it, is canonical. Empty lines,
 * which count only at the end of the body, are not checked.
 */
export function isRelaxed(part: Buffer): boolean {
  return part.length === 0 || (part[part.length - 1] !== SP && isCanonical(part))
}

/** True when the whole body is canonical. */
function isRelaxedBody(body: Buffer): boolean {
  const { length } = body
  if (length < 3 || body[length - 1] !== LF || body[length - 2] !== CR) return false
  return isPlain(body[length - 3]!) && isCanonical(body)
}

/** Takes the pieces of one body in order and returns the hash at the end. Cost is linear in the size of the body. */
class RelaxedBodyHash {
  readonly #hash: Hash = createHash('sha256')
  /** Input that is held back until it is known whether it belongs to the canonical form. */
  #lines = 0
  #space = false
  #cr = false
  #empty = true

  update(piece: Buffer): void {
    for (let start = 0; start < piece.length; start += WINDOW) {
      this.#window(start === 0 && piece.length <= WINDOW ? piece : piece.subarray(start, start + WINDOW))
    }
  }

  /** Base64 of the hash: the value of the `bh=` tag. */
  digest(): string {
    if (this.#cr) this.#release()
    if (!this.#empty) this.#hash.update('\r\n')
    return this.#hash.digest('base64')
  }

  #window(bytes: Buffer): void {
    let from = 0
    while (from < bytes.length && !isPlain(bytes[from]!)) from++
    let to = bytes.length
    while (to > from && !isPlain(bytes[to - 1]!)) to--
    if (from > 0) this.#walk(bytes.subarray(0, from))
    if (to > from) {
      const middle = bytes.subarray(from, to)
      if (isCanonical(middle)) {
        this.#release()
        this.#hash.update(middle)
      } else this.#walk(middle)
    }
    if (to < bytes.length && to >= from) this.#walk(bytes.subarray(to))
  }

  /** A plain byte follows: the input held back turns out to be part of the canonical form. */
  #release(): void {
    this.#hashLines(this.#lines)
    if (this.#space) this.#hash.update(' ')
    // A CR without LF after it ends no line (RFC 6376 2.3): it is an ordinary byte.
    if (this.#cr) this.#hash.update('\r')
    this.#lines = 0
    this.#space = false
    this.#cr = false
    this.#empty = false
  }

  #hashLines(count: number): void {
    for (let left = count; left > 0; left -= NEW_LINES.length / 2) {
      this.#hash.update(NEW_LINES.subarray(0, left * 2))
    }
  }

  /** The byte-wise way, for windows that are not canonical and for the white space at the edges of the others. */
  #walk(bytes: Buffer): void {
    const size = bytes.length
    let length = 0
    let lines = this.#lines
    let space = this.#space
    let cr = this.#cr
    let held = cr || space || lines > 0
    for (let index = 0; index < size; index++) {
      const byte = bytes[index]!
      if (byte <= SP) {
        if (byte === LF && cr) {
          cr = false
          space = false
          held = true
          lines++
          continue
        }
        if (!cr && (byte === SP || byte === TAB || byte === CR)) {
          if (byte === CR) cr = true
          else space = true
          held = true
          continue
        }
      }
      if (held) {
        held = false
        if (lines > 256) {
          // Earlier windows may have held back more than the scratch has room for.
          this.#hash.update(scratch.subarray(0, length))
          this.#hashLines(lines)
          length = 0
          lines = 0
          this.#empty = false
        }
        for (; lines > 0; lines--) {
          scratch[length++] = CR
          scratch[length++] = LF
        }
        if (space) scratch[length++] = SP
        space = false
        if (cr) {
          // A bare CR; the byte at hand starts afresh.
          scratch[length++] = CR
          cr = false
          index--
          continue
        }
      }
      scratch[length++] = byte
    }
    this.#lines = lines
    this.#space = space
    this.#cr = cr
    if (length === 0) return
    this.#empty = false
    this.#hash.update(scratch.subarray(0, length))
  }
}

/**
 * The `bh=` value of a body, whole or in pieces. `relaxed`: it is known to be canonical. Bodies over half a megabyte
 * are hashed in stretches with the event loop running between them; for all others the value is returned at once.
 */
export function relaxedBodyHash(body: Buffer | readonly Buffer[], relaxed = false): string | Promise<string> {
  if (!Buffer.isBuffer(body) || body.length > STRETCH) {
    return hashInStretches(Buffer.isBuffer(body) ? [body] : body, relaxed)
  }
  if (relaxed || isRelaxedBody(body)) return hash('sha256', body, 'base64')
  const slowly = new RelaxedBodyHash()
  slowly.update(body)
  return slowly.digest()
}

async function hashInStretches(pieces: readonly Buffer[], relaxed: boolean): Promise<string> {
  const canonical = relaxed ? createHash('sha256') : null
  const slowly = new RelaxedBodyHash()
  let sinceYield = 0
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += STRETCH) {
      const stretch = piece.length <= STRETCH ? piece : piece.subarray(start, start + STRETCH)
      if (canonical === null) slowly.update(stretch)
      else canonical.update(stretch)
      sinceYield += stretch.length
      if (sinceYield >= STRETCH) {
        sinceYield = 0
        await new Promise(setImmediate)
      }
    }
  }
  return canonical === null ? slowly.digest() : canonical.digest('base64')
}
