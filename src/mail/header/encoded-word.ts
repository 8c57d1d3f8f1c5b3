/** Encoded words (RFC 2047): non-ASCII text inside header fields. Always UTF-8. */

/** RFC 2047 2: an encoded word is at most 75 characters. */
const MAX_WORD = 75
/** `=?utf-8?Q?` and `?=`. */
const OVERHEAD = 12
/** RFC 2047 5(3): the characters that may stand for themselves even inside a phrase; safe in every other place too. */
const Q_LITERAL = /[A-Za-z0-9!*+\-/]/
const ENCODED_WORD = /^=\?[A-Za-z0-9_-]+(?:\*[A-Za-z0-9-]+)?\?[BbQq]\?[!->@-~]*\?=$/

/** True when the text consists of encoded words only, as some clients hand over names and values that they encoded themselves. */
export function isEncoded(text: string): boolean {
  return text.startsWith('=?') && text.split(' ').every((word) => ENCODED_WORD.test(word))
}

/**
 * Turns text into encoded words separated by spaces, Q or B, whichever is shorter. No character is split between two words
 * (RFC 2047 5).
 * @param room characters that the first word may take; the others take up to 75
 */
export function encodeWords(text: string, room = MAX_WORD): string {
  const characters = Array.from(text.toWellFormed())
  let octets = 0
  let qLength = 0
  for (const character of characters) {
    octets += Buffer.byteLength(character)
    qLength += qWidth(character)
  }
  const base64 = Math.ceil(octets / 3) * 4 < qLength
  const words: string[] = []
  let word = ''
  let width = 0
  // A first word that holds nothing would be no word at all: it always takes one character (12 at most).
  let limit = Math.max(Math.min(room, MAX_WORD) - OVERHEAD, 12)
  if (base64) limit = Math.floor(limit / 4) * 3
  for (const character of characters) {
    const grows = base64 ? Buffer.byteLength(character) : qWidth(character)
    if (width + grows > limit) {
      words.push(wrap(word, base64))
      word = ''
      width = 0
      limit = MAX_WORD - OVERHEAD
      if (base64) limit = Math.floor(limit / 4) * 3
    }
    word += character
    width += grows
  }
  words.push(wrap(word, base64))
  return words.join(' ')
}

function qWidth(character: string): number {
  return character === ' ' || Q_LITERAL.test(character) ? 1 : Buffer.byteLength(character) * 3
}

function wrap(text: string, base64: boolean): string {
  if (base64) return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  let q = ''
  for (const octet of Buffer.from(text)) {
    const character = String.fromCharCode(octet)
    if (octet === 0x20) q += '_'
    else if (octet < 0x80 && Q_LITERAL.test(character)) q += character
    else q += `=${octet.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return `=?utf-8?Q?${q}?=`
}

/**
 * Text with its encoded words decoded, white space between two of them dropped (RFC 2047 6.2). A word in an unknown character set
 * stays as it is.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  const word = /=\?([A-Za-z0-9_-]+)(?:\*[A-Za-z0-9-]+)?\?([BbQq])\?([!->@-~]*)\?=/g
  return text
    .replace(/\?=[ \t]+(?==\?[A-Za-z0-9_*-]+\?[BbQq]\?)/g, '?=')
    .replace(word, (whole, charset: string, encoding: string, payload: string) => {
      const octets = encoding.toUpperCase() === 'B' ? Buffer.from(payload, 'base64') : fromQ(payload)
      return decodeCharset(octets, charset) ?? whole
    })
}

function fromQ(payload: string): Buffer {
  const octets = payload
    .replaceAll('_', ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(octets, 'latin1')
}

/** Octets in a named character set as text; null when the set is unknown. */
export function decodeCharset(octets: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset).decode(octets)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
