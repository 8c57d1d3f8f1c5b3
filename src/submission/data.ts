/**
 * The octets of a message between DATA and the final dot (RFC 5321 4.1.1.4): where they end, and which dots were added
 * by dot-stuffing (4.5.2). Only CR LF, a dot, CR LF is the end: SMTP smuggling uses sequences that one server takes for
 * text and the next one for the end (`<LF>.<CR><LF>`).
 *
 * Many programs send files as they are, with bare LF. A bare LF ends a line of the content, so in `<LF>..` the second
 * dot was added by the client too (Python's smtplib does that); in `<LF>.x` no dot was doubled (curl), and the dot
 * stays.
 */

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/** States: what stands before the present octet. */
const LINE_START = 0
const TEXT = 1
const AFTER_CR = 2
/** A dot at the beginning of a line. */
const AFTER_DOT = 3
const AFTER_DOT_CR = 4
/** An LF without a CR. */
const AFTER_LF = 5
/** The first dot after a bare LF. */
const AFTER_LF_DOT = 6

const ONE_CR = Buffer.from('\r')

export class DataOctets {
  #state = LINE_START
  /** The message contains an LF without a CR before it. */
  bareLf = false

  /**
   * Passes the octets of the message in `piece` to `take`. Returns how many octets of `piece` belong to the data, if
   * the data ends in it; else null.
   */
  readPiece(piece: Buffer, take: (octets: Buffer) => void): number | null {
    let state = this.#state
    /** The first octet that is not yet passed to `take`. */
    let from = 0
    const { length } = piece
    const takeUntil = (end: number) => {
      if (end > from) take(piece.subarray(from, end))
    }
    for (let at = 0; at < length; at++) {
      // The fast path, for nearly all octets of a message.
      if (state === TEXT) while (piece[at]! > CR) at++
      if (at >= length) break
      const octet = piece[at]
      switch (state) {
        case TEXT:
          state = this.#inLine(octet)
          break
        case LINE_START:
          if (octet === DOT) {
            takeUntil(at)
            from = at + 1
            state = AFTER_DOT
          } else state = this.#inLine(octet)
          break
        case AFTER_CR:
          state = octet === LF ? LINE_START : this.#inLine(octet)
          break
        case AFTER_DOT:
          if (octet === CR) {
            from = at + 1
            state = AFTER_DOT_CR
          } else state = this.#inLine(octet)
          break
        case AFTER_DOT_CR:
          if (octet === LF) {
            this.#state = LINE_START
            return at + 1
          }
          // This is not the end, so the CR belongs to the message.
          take(ONE_CR)
          state = this.#inLine(octet)
          break
        case AFTER_LF:
          state = octet === DOT ? AFTER_LF_DOT : this.#inLine(octet)
          break
        case AFTER_LF_DOT:
          if (octet === DOT) {
            takeUntil(at)
            from = at + 1
            state = TEXT
          } else state = this.#inLine(octet)
          break
      }
    }
    this.#state = state
    if (from < piece.length) take(from === 0 ? piece : piece.subarray(from))
    return null
  }

  #inLine(octet: number | undefined): number {
    if (octet === CR) return AFTER_CR
    if (octet !== LF) return TEXT
    this.bareLf = true
    return AFTER_LF
  }
}
