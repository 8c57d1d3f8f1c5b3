/**
 * Whether two messages are the same email. Who sends once more after an error composes anew: with another Date, another
 * Message-ID, and other boundaries between the parts; all else has to be the same.
 */
import { createHash } from 'node:crypto'

const MADE_ANEW = /^(?:Date|Message-ID|Received)[ \t]*:.*\r\n(?:[ \t].*\r\n)*/gim
/** What is shorter was chosen by somebody, and stays. */
const BOUNDARY = /^boundary=(?:"([^"\r\n]{8,200})"|([^\s;"]{8,200}))/
/** More than any client nests. */
const MOST_BOUNDARIES = 64

/** SHA-256 of what stays the same, in hexadecimal. Linear in the message, with a header that can be read. */
export function sameMessage(message: Buffer): string {
  const hash = createHash('sha256')
  const bodyAt = message.indexOf('\r\n\r\n')
  const headerEnd = bodyAt < 0 ? message.length : bodyAt + 2
  const header = message.toString('latin1', 0, headerEnd).replace(MADE_ANEW, '')
  const boundaries = boundariesOf(message)
  const update = (octets: Buffer) => {
    let from = 0
    const next = boundaries.map((boundary) => octets.indexOf(boundary))
    for (;;) {
      const first = earliest(next)
      if (first < 0) break
      const at = next[first]!
      hash.update(octets.subarray(from, at)).update(`boundary ${first}\r\n`)
      from = at + boundaries[first]!.length
      for (let one = 0; one < next.length; one++) {
        if (next[one]! >= 0 && next[one]! < from) next[one] = octets.indexOf(boundaries[one]!, from)
      }
    }
    hash.update(octets.subarray(from))
  }
  update(Buffer.from(header, 'latin1'))
  update(message.subarray(headerEnd))
  return hash.digest('hex')
}

/** In the order in which they are named. */
function boundariesOf(message: Buffer): Buffer[] {
  const found = new Set<string>()
  const name = 'boundary='
  for (
    let at = message.indexOf(name);
    at >= 0 && found.size < MOST_BOUNDARIES;
    at = message.indexOf(name, at + 1)
  ) {
    const match = BOUNDARY.exec(message.toString('latin1', at, at + 220))
    if (match !== null) found.add(match[1] ?? match[2]!)
  }
  return [...found].map((boundary) => Buffer.from(boundary, 'latin1'))
}

/** Index of the lowest position; of two that are the same, that of the longer boundary would do as well. -1: none. */
function earliest(positions: readonly number[]): number {
  let first = -1
  for (let index = 0; index < positions.length; index++) {
    if (positions[index]! >= 0 && (first < 0 || positions[index]! < positions[first]!)) first = index
  }
  return first
}
