/**
 * Large texts, built outside of the heap: a limited heap has no room for several copies of one, and V8 gives up
 * altogether when a single allocation is too large for the rest. Node.js keeps strings of more than a million octets
 * beside the heap.
 */

/** Number of characters from which a text is large. */
export const LARGE_TEXT = 1_048_576

/** Joins the pieces. */
export function joinedText(pieces: readonly string[]): string {
  let length = 0
  for (const piece of pieces) length += piece.length
  if (length < LARGE_TEXT) return pieces.join('')
  if (pieces.every((piece) => !/[^\u0000-\u00ff]/.test(piece))) return joinedOctets(pieces).toString('latin1')
  const units = Buffer.allocUnsafeSlow(2 * length)
  let at = 0
  for (const piece of pieces) at += units.write(piece, at, 'utf16le')
  return units.toString('utf16le')
}

/** Joins pieces in which each character is one octet. */
export function joinedOctets(pieces: readonly string[]): Buffer {
  let length = 0
  for (const piece of pieces) length += piece.length
  const octets = Buffer.allocUnsafe(length)
  let at = 0
  for (const piece of pieces) at += octets.write(piece, at, 'latin1')
  return octets
}
