/** Base32 (RFC 4648 6) in lower case, for octets in groups of five: no padding is needed. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const GROUP = 5

const VALUES = new Int8Array(128).fill(-1)
for (const [value, letter] of [...ALPHABET].entries()) {
  VALUES[letter.charCodeAt(0)] = value
  VALUES[letter.toUpperCase().charCodeAt(0)] = value
}

/** @param octets a multiple of five */
export function base32(octets: Uint8Array): string {
  let text = ''
  for (let at = 0; at < octets.length; at += GROUP) {
    // 40 bits as two halves, because operators on bits take 32 at most.
    const high = (octets[at]! << 12) | (octets[at + 1]! << 4) | (octets[at + 2]! >> 4)
    const low = ((octets[at + 2]! & 15) << 16) | (octets[at + 3]! << 8) | octets[at + 4]!
    for (const half of [high, low]) {
      text += ALPHABET[half >> 15]! + ALPHABET[(half >> 10) & 31]! + ALPHABET[(half >> 5) & 31]!
      text += ALPHABET[half & 31]!
    }
  }
  return text
}

/** Decodes letters in either case, a multiple of eight; null: another character is among them. */
export function fromBase32(text: string): Buffer | null {
  const octets = Buffer.alloc((text.length / 8) * GROUP)
  for (let group = 0; group * 8 < text.length; group++) {
    const halves = [0, 0]
    for (let index = 0; index < 8; index++) {
      const value = VALUES[text.charCodeAt(group * 8 + index)] ?? -1
      if (value < 0) return null
      const half = index >> 2
      halves[half] = (halves[half]! << 5) | value
    }
    const [high, low] = halves as [number, number]
    octets[group * GROUP] = high >> 12
    octets[group * GROUP + 1] = (high >> 4) & 255
    octets[group * GROUP + 2] = ((high & 15) << 4) | (low >> 16)
    octets[group * GROUP + 3] = (low >> 8) & 255
    octets[group * GROUP + 4] = low & 255
  }
  return octets
}
