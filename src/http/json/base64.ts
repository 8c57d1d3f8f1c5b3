/** Decodes files in JSON from base64, piece by piece, so that a large file is not in memory several times. */

/** RFC 4648 4 and 5: the kind of each octet. */
const DIGIT = 0
const BREAK = 1
const PADDING = 2
const OTHER = 3
/** Digits that only one of the two alphabets has. */
const STANDARD = 4
const URL_SAFE = 5
const KIND = new Uint8Array(256).fill(OTHER)
for (const [kind, characters] of [
  [DIGIT, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'],
  [STANDARD, '+/'],
  [URL_SAFE, '-_'],
  [BREAK, '\r\n'],
  [PADDING, '='],
] as const) {
  for (const character of characters) KIND[character.charCodeAt(0)] = kind
}

/** Octets of text decoded at once: a multiple of four. */
const PIECE = 256 * 1024

/**
 * Decodes the text; null when it is not base64. The check is strict (RFC 4648 3), because other text would become a
 * file of garbage. It requires digits of one alphabet in groups of four, padding if the last group is short, and unused
 * bits of zero. Lines may be broken anywhere (RFC 2045 6.8). Only the URL-safe alphabet may omit padding, as its
 * encoders do (RFC 4648 5).
 */
export function decodeBase64(text: Buffer): Buffer | null {
  const compact = digitsOf(text)
  if (compact === null) return null
  const decoded = Buffer.allocUnsafeSlow(Math.floor((compact.length * 3) / 4))
  let length = 0
  for (let at = 0; at < compact.length; at += PIECE) {
    length += decoded.write(
      compact.toString('latin1', at, Math.min(at + PIECE, compact.length)),
      length,
      'base64',
    )
  }
  return hasZeroRest(compact, decoded) ? decoded : null
}

/** The digits alone; null when the text is not base64. */
function digitsOf(text: Buffer): Buffer | null {
  let digits = 0
  let padding = 0
  let breaks = 0
  let alphabet = DIGIT
  for (let at = 0; at < text.length; at++) {
    const kind = KIND[text[at]!]!
    if (kind === DIGIT) digits++
    else if (kind === BREAK) {
      breaks++
      continue
    } else if (kind === PADDING) {
      padding++
      continue
    } else if (kind === OTHER) return null
    else {
      if (alphabet !== DIGIT && alphabet !== kind) return null
      alphabet = kind
      digits++
    }
    if (padding > 0) return null
  }
  const short = (4 - (digits % 4)) % 4
  // A single remaining digit carries 6 bits, less than an octet.
  if (short === 3) return null
  if (padding !== short && !(padding === 0 && alphabet === URL_SAFE)) return null
  if (breaks === 0) return text.subarray(0, digits)
  const compact = Buffer.allocUnsafeSlow(digits)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const kind = KIND[text[at]!]!
    if (kind !== BREAK && kind !== PADDING) compact[length++] = text[at]!
  }
  return compact
}

/** Whether the unused bits of the last digit are zero (RFC 4648 3.5). */
function hasZeroRest(digits: Buffer, decoded: Buffer): boolean {
  const rest = digits.length % 4
  if (rest === 0) return true
  const last = decoded.subarray(decoded.length - (rest - 1)).toString('base64url')
  const given = String.fromCharCode(digits[digits.length - 1]!)
    .replace('+', '-')
    .replace('/', '_')
  return last.endsWith(given)
}
