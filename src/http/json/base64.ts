/** Files in JSON: base64 text, decoded piece by piece, so that a large file is in memory once. */

/** RFC 4648 4 and 5: what each octet is worth as a digit of either alphabet. */
const DIGIT = 0
const SPACE = 1
const PADDING = 2
const OTHER = 3
const KIND = new Uint8Array(256).fill(OTHER)
for (const digit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_') {
  KIND[digit.charCodeAt(0)] = DIGIT
}
for (const space of ' \t\r\n') KIND[space.charCodeAt(0)] = SPACE
KIND['='.charCodeAt(0)] = PADDING

/** Octets of text that are decoded together: a multiple of four. */
const PIECE = 256 * 1024

/**
 * What the text stands for, or null when it is no base64: either alphabet (RFC 4648 4 and 5), padding may be left out,
 * white space may stand anywhere.
 */
export function decodeBase64(text: Buffer): Buffer | null {
  const compact = withoutSpace(text)
  if (compact === null) return null
  // A single digit left over carries 6 bits: no octet ends there.
  if (compact.length % 4 === 1) return null
  const decoded = Buffer.allocUnsafeSlow(Math.floor((compact.length * 3) / 4))
  let length = 0
  for (let at = 0; at < compact.length; at += PIECE) {
    length += decoded.write(
      compact.toString('latin1', at, Math.min(at + PIECE, compact.length)),
      length,
      'base64',
    )
  }
  return decoded
}

/** The digits alone; null for anything that is neither digit nor space nor padding at the end. */
function withoutSpace(text: Buffer): Buffer | null {
  let digits = 0
  let padding = 0
  let spaces = 0
  for (let at = 0; at < text.length; at++) {
    const kind = KIND[text[at]!]!
    if (kind === DIGIT) {
      if (padding > 0) return null
      digits++
    } else if (kind === SPACE) spaces++
    else if (kind === PADDING && ++padding <= 2) continue
    else return null
  }
  if (spaces === 0) return text.subarray(0, digits)
  const compact = Buffer.allocUnsafeSlow(digits)
  let length = 0
  for (let at = 0; at < text.length; at++) if (KIND[text[at]!] === DIGIT) compact[length++] = text[at]!
  return compact
}
