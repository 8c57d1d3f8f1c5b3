const lineFeed = 10
const carriageReturn = 13
const dot = 46
const oneDot = Buffer.from('.')
const ending = Buffer.from('.\r\n')
const missingLineEnd = Buffer.from('\r\n.\r\n')

/** The message has a dot after a line end other than CRLF, so servers may disagree about where it ends. */
export class AmbiguousLineEnd extends Error {}

/** A message ready for the wire, with dots doubled as needed. */
export interface StuffedMessage {
  /** Slices of the given chunks; nothing is copied. */
  blocks: Uint8Array[]
  /**
   * The octets that end the message: the final dot, preceded by a CRLF if the message itself does not end in a CRLF.
   */
  ending: Uint8Array
  /** Octets of the blocks together. */
  size: number
}

/**
 * RFC 5321 4.5.2: doubles each dot that opens a line, even if the line end is in the chunk before.
 *
 * Throws AmbiguousLineEnd for a dot after a bare CR or a bare LF. The composer writes only CRLF. If such a dot were
 * sent all the same, a server that is lax about line ends could take the dot for the end of the message, and the rest
 * of the message for SMTP commands of Postroad (CVE-2023-51764 and similar faults).
 */
export function dotStuff(chunks: readonly Uint8Array[]): StuffedMessage {
  const blocks: Uint8Array[] = []
  let size = 0
  // The two octets before the current chunk. The first chunk is treated as if it followed a CRLF.
  let before = carriageReturn
  let last = lineFeed
  for (const chunk of chunks) {
    if (chunk.length === 0) continue
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    if (bytes[0] === dot) {
      if (last === carriageReturn || (last === lineFeed && before !== carriageReturn)) throw ambiguous()
      if (last === lineFeed) {
        blocks.push(oneDot)
        size++
      }
    }
    refuseDotAfterBareReturn(bytes)
    let start = 0
    for (let at = bytes.indexOf('\n.'); at !== -1; at = bytes.indexOf('\n.', at + 2)) {
      const previous = at > 0 ? bytes[at - 1] : last
      if (previous !== carriageReturn) throw ambiguous()
      blocks.push(bytes.subarray(start, at + 1), oneDot)
      size++
      start = at + 1
    }
    blocks.push(start === 0 ? bytes : bytes.subarray(start))
    size += bytes.length
    before = bytes.length > 1 ? bytes[bytes.length - 2]! : last
    last = bytes[bytes.length - 1]!
  }
  return { blocks, ending: before === carriageReturn && last === lineFeed ? ending : missingLineEnd, size }
}

function refuseDotAfterBareReturn(bytes: Buffer): void {
  if (bytes.includes('\r.')) throw ambiguous()
}

function ambiguous(): AmbiguousLineEnd {
  return new AmbiguousLineEnd('The message has a dot after a bare CR or LF; lines must end in CRLF')
}
