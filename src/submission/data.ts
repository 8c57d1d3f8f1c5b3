/**
 * The octets of a message between DATA and the final dot (RFC 5321 4.1.1.4): where they end, and which dots are not
 * theirs (4.5.2). The end is CR LF, a dot, CR LF, and nothing else: smuggled messages are made of ends that one server
 * takes for text and the next one for the end (`<LF>.<CR><LF>`).
 *
 * Many programs send files as they are, with LF alone. Such an LF ends a line of the content, so the dot of `<LF>..` is
 * not the message's either (Python's smtplib doubles it there); in `<LF>.x` nobody has doubled it (curl), and it stays.
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
/** An LF without a CR. */
const AFTER_LF = 5
/** The first dot behind it. */
const AFTER_LF_DOT = 6

const ONE_CR = Buffer.from('\r')

export class DataOctets {
  #state = LINE_START
  /** An LF came without a CR before it. */
  bareLf = false

  /**
   * Gives `take` the octets of the message that are in `piece`. Returns how many octets of `piece` belong to the data,
   * if they end in it; else null.
   */
  read(piece: Buffer, take: (octets: Buffer) => void): number | null {
    let state = this.#state
    /** From here on nothing was given to `take`. */
    let from = 0
    const { length } = piece
    const takeUntil = (end: number) => {
      if (end > from) take(piece.subarray(from, end))
    }
    for (let at = 0; at < length; at++) {
      // Nearly all of a message.
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
          // It was no end, and the CR belongs to the message.
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
