/** Octets and lines of a ready message. */
import { isAscii } from 'node:buffer'

/** A ready message that cannot be sent as it is. The message is for the sender: what is wrong, where, what to do. */
export class RawError extends Error {
  override name = 'RawError'
}

/** RFC 5322 2.1.1: octets of a line without its CRLF. */
export const MAX_LINE = 998

const LF = 0x0a
const CR = 0x0d

/**
 * The octets with every line ended by CRLF, the last one included. A lone LF, a lone CR and a row of CRs before an LF each
 * become one line end: to a server that takes any of them for one, nothing is left that could end the message early and
 * start another (SMTP smuggling; RFC 5321 2.3.8 allows CR and LF as CRLF only). Without need nothing is copied.
 */
export function withCrlfLines(raw: Uint8Array): Buffer {
  const octets = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const size = octets.length
  let bare = 0
  let previous = 0
  for (let index = 0; index < size; index++) {
    const octet = octets[index]!
    if (octet <= CR && (octet === LF) !== (previous === CR)) bare++
    else if (octet > CR && previous === CR) bare++
    previous = octet
  }
  if (bare === 0 && previous === LF) return octets
  const out = Buffer.allocUnsafe(size + bare + 2)
  let length = 0
  for (let index = 0; index < size; index++) {
    const octet = octets[index]!
    if (octet !== CR && octet !== LF) {
      out[length++] = octet
      continue
    }
    let next = index
    while (octets[next] === CR) next++
    // A row of CRs that no LF ends is as many line ends.
    if (octets[next] === LF) index = next
    out[length++] = CR
    out[length++] = LF
  }
  if (length > 0 && out[length - 1] !== LF) {
    out[length++] = CR
    out[length++] = LF
  }
  return out.subarray(0, length)
}

/** True when no line is longer than 998 octets and there is no NUL: what any server takes (RFC 2045 2.7 and 2.8). */
export function hasPlainLines(octets: Buffer): boolean {
  if (octets.includes(0)) return false
  let start = 0
  while (octets.length - start > MAX_LINE) {
    const end = octets.lastIndexOf(LF, start + MAX_LINE + 1)
    if (end < start) return false
    start = end + 1
  }
  return true
}

/** True when an octet has its high bit set, so that the message needs 8BITMIME (RFC 6152) at the next hop. */
export function isEightBit(raw: Uint8Array): boolean {
  return !isAscii(raw)
}
