/** The beginning of a part: of one that is large, no more is decoded than is shown. */
import { decodeBody } from '../../mail/raw/decode.ts'
import type { RawPart } from '../../mail/raw/structure.ts'

/** Octets that are decoded for each that is shown: `=3D` is one (RFC 2045 6.7), and there are ends of lines. */
const ENCODED = 6

export interface Beginning {
  octets: Buffer
  /** There is more of it. */
  clipped: boolean
}

/** Decoded, `most` octets. Throws RawError for an encoding that nobody knows. */
export function beginningOf(lines: Buffer, part: RawPart, most: number): Beginning {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + ENCODED * most)
  const octets = decodeBody(lines, { ...part, bodyEnd })
  return { octets: octets.subarray(0, most), clipped: octets.length > most || bodyEnd < part.bodyEnd }
}
