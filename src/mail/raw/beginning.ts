/** The beginning of a part: a large part is decoded only as far as it is shown. */
import { decodeBody } from './decode.ts'
import type { RawPart } from './structure.ts'

/** Encoded octets to decode for each shown octet: `=3D` is one (RFC 2045 6.7), and there are line ends. */
const ENCODED = 6

interface Beginning {
  octets: Buffer
  /** The part has more than that. */
  clipped: boolean
}

/** The first `most` octets, decoded. Throws RawError for an unknown encoding. */
export function beginningOf(lines: Buffer, part: RawPart, most: number): Beginning {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + ENCODED * most)
  const octets = decodeBody(lines, { ...part, bodyEnd })
  return { octets: octets.subarray(0, most), clipped: octets.length > most || bodyEnd < part.bodyEnd }
}
