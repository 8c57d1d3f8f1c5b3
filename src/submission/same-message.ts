/**
 * Whether two messages are the same email. A client that sends again after an error composes the message again, with
 * another Date, another Message-ID, and other boundaries between the parts; everything else has to be the same.
 */
import { createHash } from 'node:crypto'

const MADE_ANEW = /^(?:Date|Message-ID|Received)[ \t]*:.*\r\n(?:[ \t].*\r\n)*/gim
/** Shorter boundaries were chosen by a person, and count. */
const BOUNDARY = /^boundary=(?:"([^"\r\n]{8,200})"|([^\s;"]{8,200}))/
/** More boundaries than any client writes into a message. */
const MAX_BOUNDARIES = 64

/** SHA-256, in hexadecimal, of the parts that stay the same. Linear in the message. The header must be readable. */
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

/** In the order in which the message declares them. */
function boundariesOf(message: Buffer): Buffer[] {
  const found = new Set<string>()
  const name = 'boundary='
  for (
    let at = message.indexOf(name);
    at >= 0 && found.size < MAX_BOUNDARIES;
    at = message.indexOf(name, at + 1)
  ) {
    const match = BOUNDARY.exec(message.toString('latin1', at, at + 220))
    if (match !== null) found.add(match[1] ?? match[2]!)
  }
  return [...found].map((boundary) => Buffer.from(boundary, 'latin1'))
}

/** Index of the lowest position, or -1 if there is none. Between equal positions the choice does not matter. */
function earliest(positions: readonly number[]): number {
  let first = -1
  for (let index = 0; index < positions.length; index++) {
    if (positions[index]! >= 0 && (first < 0 || positions[index]! < positions[first]!)) first = index
  }
  return first
}
