/** The text of a JSON string. */

/**
 * Octets: a text with escapes of at least this length is decoded outside the heap, which has no room for several copies
 * of it.
 */
const LARGE = 64 * 1024

const BACKSLASH = 0x5c

/** The character for each letter of a short escape. */
const SHORT: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
}

/** Expects octets of a valid string from quote to quote. `escaped`: the string contains a backslash. */
export function readText(octets: Buffer, start: number, end: number, escaped: boolean): string {
  if (!escaped) return octets.toString('utf8', start + 1, end - 1)
  if (end - start < LARGE) return JSON.parse(octets.toString('utf8', start, end)) as string
  return unescaped(octets.subarray(start + 1, end - 1))
}

/** Decodes into UTF-16, since an escape can stand for half of a surrogate pair. */
function unescaped(octets: Buffer): string {
  const units = Buffer.allocUnsafeSlow(2 * octets.length)
  let length = 0
  let at = 0
  while (at < octets.length) {
    let next = octets.indexOf(BACKSLASH, at)
    if (next < 0) next = octets.length
    if (next > at) length += units.write(octets.toString('utf8', at, next), length, 'utf16le')
    if (next === octets.length) break
    const letter = octets[next + 1]!
    const isUnit = letter === 0x75
    const unit = isUnit ? Number.parseInt(octets.toString('latin1', next + 2, next + 6), 16) : SHORT[letter]!
    length = units.writeUInt16LE(unit, length)
    at = next + (isUnit ? 6 : 2)
  }
  return units.toString('utf16le', 0, length)
}

/** The same octets without their escapes, or null when an escape stands for a non-ASCII character. */
export function unescapedAscii(octets: Buffer): Buffer | null {
  const out = Buffer.allocUnsafeSlow(octets.length)
  let length = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet !== BACKSLASH) out[length++] = octet
    else if (octets[++at] !== 0x75) out[length++] = SHORT[octets[at]!]!
    else {
      const unit = Number.parseInt(octets.toString('latin1', at + 1, at + 5), 16)
      if (unit > 0x7f) return null
      out[length++] = unit
      at += 4
    }
  }
  return out.subarray(0, length)
}
