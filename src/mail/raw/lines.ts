/** Octets and lines of a ready message. */
import { isAscii } from 'node:buffer'

/**
 * A ready message that cannot be sent as it is. The error message is for the sender: the fault, its place, and the
 * remedy.
 */
export class RawError extends Error {
  override name = 'RawError'
}

/** The most octets of a line without its CRLF (RFC 5322 2.1.1). */
export const MAX_LINE = 998
/** Haraka and Sendmail cut longer lines (at 990 octets, with CRLF and a doubled dot), which breaks signatures. */
const SAFE_LINE = 985

const LF = 0x0a
const CR = 0x0d

/**
 * Ends every line in CRLF, the last one included. A lone LF, a lone CR and a row of CRs before an LF each become one
 * line end, so that no octets are left that a server could take for the end of the message and the start of another
 * (SMTP smuggling; RFC 5321 2.3.8 allows CR and LF as CRLF only). Octets are copied only if they change. Throws
 * RawError when the header mixes line ends: the middle of a field would become a field of its own.
 */
export function withCrlfLines(raw: Uint8Array): Buffer {
  const octets = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  assertHeaderLines(octets)
  const size = octets.length
  let bare = 0
  for (let index = 0; index < size; index++) {
    // Skips nearly all octets of a message.
    while (octets[index]! > CR) index++
    const octet = octets[index]
    if (octet === LF) bare++
    else if (octet === CR) {
      if (octets[index + 1] === LF) index++
      else bare++
    }
  }
  if (bare === 0 && octets[size - 1] === LF) return octets
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
    // In a row of CRs that no LF follows, each CR is a line end. The row is read only once, however long it is.
    const ends = octets[next] === LF ? 1 : next - index
    index = octets[next] === LF ? next : next - 1
    for (let end = 0; end < ends; end++) {
      out[length++] = CR
      out[length++] = LF
    }
  }
  if (length > 0 && out[length - 1] !== LF) {
    out[length++] = CR
    out[length++] = LF
  }
  return out.subarray(0, length)
}

/**
 * Returns the octets with a CR added before every bare LF, also in the header. Used for messages from SMTP clients:
 * every later server would do the same. Copies nothing when there is no bare LF.
 */
export function withCrBeforeLf(octets: Buffer): Buffer {
  let bare = 0
  for (let at = nextBareLf(octets, 0); at >= 0; at = nextBareLf(octets, at + 1)) bare++
  if (bare === 0) return octets
  const out = Buffer.allocUnsafe(octets.length + bare)
  let from = 0
  let length = 0
  for (let at = nextBareLf(octets, 0); at >= 0; at = nextBareLf(octets, at + 1)) {
    length += octets.copy(out, length, from, at)
    out[length++] = CR
    from = at
  }
  octets.copy(out, length, from)
  return out
}

function nextBareLf(octets: Buffer, from: number): number {
  let at = octets.indexOf(LF, from)
  while (at > 0 && octets[at - 1] === CR) at = octets.indexOf(LF, at + 1)
  return at
}

/**
 * Throws RawError when the header mixes line ends. In a message that has an LF, all lines must end in CRLF, or all in
 * LF: a lone CR in the header would be part of a value (RFC 5322 2.2), and so would a lone LF beside CRLF. A message
 * without any LF ends its lines in CR, and is not checked here.
 */
export function assertHeaderLines(octets: Buffer): void {
  if (!octets.includes(LF)) return
  let crlf: boolean | undefined
  let start = 0
  for (let line = 1; start < octets.length; line++) {
    const found = octets.indexOf(LF, start)
    const end = found < 0 ? octets.length : found
    const ended = found > start && octets[found - 1] === CR
    const text = octets.subarray(start, ended ? end - 1 : end)
    if (text.includes(CR)) {
      throw new RawError(
        `Line ${line} of the header has a CR that no LF follows (RFC 5322 2.2); end all lines in CRLF.`,
      )
    }
    crlf ??= ended
    if (found >= 0 && ended !== crlf) {
      const [here, before] = ended ? ['CRLF', 'LF alone'] : ['LF alone', 'CRLF']
      throw new RawError(
        `Line ${line} of the header ends in ${here}, the lines before it in ${before}; end all lines in CRLF.`,
      )
    }
    if (text.length === 0) return
    start = end + 1
  }
}

/**
 * True when no line is longer than 985 octets and there is no NUL: any server takes such a message and leaves it as it
 * is.
 */
export function hasSafeLines(octets: Buffer): boolean {
  return hasLinesWithin(SAFE_LINE, octets)
}

/**
 * True when no line is longer than 998 octets and there is no NUL: the limits for sending at all (RFC 2045 2.7 and
 * 2.8).
 */
export function hasPlainLines(octets: Buffer): boolean {
  return hasLinesWithin(MAX_LINE, octets)
}

function hasLinesWithin(longest: number, octets: Buffer): boolean {
  if (octets.includes(0)) return false
  let start = 0
  while (octets.length - start > longest) {
    const end = octets.lastIndexOf(LF, start + longest + 1)
    if (end < start) return false
    start = end + 1
  }
  return true
}

/** True when an octet has its high bit set, so that the message needs 8BITMIME (RFC 6152) at the next hop. */
export function isEightBit(raw: Uint8Array): boolean {
  return !isAscii(raw)
}
