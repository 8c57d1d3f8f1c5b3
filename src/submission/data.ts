/**
 * The octets of a message between DATA and the final dot (RFC 5321 4.1.1.4): where they end, and which dots are not
 * theirs (4.5.2). The end is CR LF, a dot, CR LF, and nothing else. A CR or LF by itself is what smuggled messages are
 * made of (a server in front takes `<LF>.<CR><LF>` for text and one behind it for the end), so a message that has one
 * is read to its end and refused.
 */

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/** What stands before the octet at hand. */
const LINE_START = 0
const TEXT = 1
const AFTER_CR = 2
/** A dot that a line began with. */
const AFTER_DOT = 3
const AFTER_DOT_CR = 4

export class DataOctets {
  #state = LINE_START
  /** Which of the two came alone; null: neither. */
  bare: 'CR' | 'LF' | null = null

  /**
   * Gives `take` the octets of the message that are in `piece`. Returns how many octets of `piece` belong to the data,
   * if they end in it; else null.
   */
  read(piece: Buffer, take: (octets: Buffer) => void): number | null {
    let state = this.#state
    /** From here on nothing was given to `take`. */
    let from = 0
    const { length } = piece
    for (let at = 0; at < length; at++) {
      // Nearly all of a message.
      if (state === TEXT) while (piece[at]! > CR) at++
      if (at >= length) break
      const octet = piece[at]
      switch (state) {
        case TEXT:
          if (octet === CR) state = AFTER_CR
          else if (octet === LF) this.bare ??= 'LF'
          break
        case LINE_START:
          if (octet === DOT) {
            if (at > from) take(piece.subarray(from, at))
            from = at + 1
            state = AFTER_DOT
          } else state = this.#inLine(octet)
          break
        case AFTER_CR:
          if (octet === LF) state = LINE_START
          else {
            this.bare ??= 'CR'
            state = this.#inLine(octet)
          }
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
          this.bare ??= 'CR'
          state = this.#inLine(octet)
          break
      }
    }
    this.#state = state
    if (from < piece.length) take(from === 0 ? piece : piece.subarray(from))
    return null
  }

  #inLine(octet: number | undefined): number {
    if (octet === CR) return AFTER_CR
    if (octet === LF) this.bare ??= 'LF'
    return TEXT
  }
}
