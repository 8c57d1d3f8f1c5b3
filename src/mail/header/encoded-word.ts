/** Encoded words (RFC 2047): non-ASCII text inside header fields. Always UTF-8. */
import { isUtf8 } from 'node:buffer'
import { LARGE_TEXT } from '../large-text.ts'

/** RFC 2047 2: an encoded word is at most 75 characters. */
const MAX_WORD = 75
/** `=?utf-8?Q?` and `?=`. */
const OVERHEAD = 12
/** RFC 2047 5(3): the characters that may stand for themselves even inside a phrase; safe in every other place too. */
const Q_LITERAL = /[A-Za-z0-9!*+\-/]/

/**
 * Turns text into encoded words separated by spaces, Q or B, whichever is shorter. No character is split between two
 * words (RFC 2047 5).
 * @param room characters for the first word; the others take up to 75
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
  // A first word without content would not be a word: it always takes one character (12 at most).
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

/** Also matches the common violations of RFC 2047 2: spaces inside, no space around. Each character is passed once. */
const WORDS = /=\?([A-Za-z0-9_:.+-]{1,60})(?:\*[A-Za-z0-9-]*)?\?([BbQq])\?([^?]*)\?=/g

/** True when a reader may take a part of the text for an encoded word. */
export function holdsEncodedWord(text: string): boolean {
  return /=\?[^?]*\?[BbQq]\?/.test(text)
}

/**
 * Text with its encoded words decoded once: the result is not searched again. White space between two of them is
 * dropped (RFC 2047 6.2). Their octets are joined before they are decoded, because some programs split characters
 * between words.
 * @param otherwise character set for words whose own is unknown; without it they stay as they are
 */
export function decodeWords(text: string, otherwise?: string): string {
  if (!text.includes('=?')) return text
  let out = ''
  /** The position after the last word. */
  let end = 0
  /** Adjacent words in one character set, as text and as octets. */
  let source = ''
  let octets: Buffer[] = []
  let charset = ''
  const flush = () => {
    if (octets.length === 0) return
    const joined = Buffer.concat(octets)
    out += decodeCharset(joined, charset) ?? (otherwise ? decodeCharset(joined, otherwise) : null) ?? source
    octets = []
    source = ''
  }
  for (const { 0: word, 1: label, 2: encoding, 3: payload, index } of text.matchAll(WORDS)) {
    const between = text.slice(end, index)
    const adjoining = octets.length > 0 && /^[ \t]*$/.test(between)
    if (!adjoining || label!.toLowerCase() !== charset) {
      flush()
      if (!adjoining) out += between
    } else source += between
    charset = label!.toLowerCase()
    octets.push(encoding === 'B' || encoding === 'b' ? Buffer.from(payload!, 'base64') : fromQ(payload!))
    source += word
    end = index + word.length
  }
  flush()
  return out + text.slice(end)
}

/** RFC 2047 4.2. Malformed input is taken literally. */
function fromQ(payload: string): Buffer {
  const octets = Buffer.from(payload)
  let length = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    const value = octet === 0x3d ? hexPair(octets, at + 1) : -1
    if (value >= 0) at += 2
    octets[length++] = value >= 0 ? value : octet === 0x5f ? 0x20 : octet
  }
  return octets.subarray(0, length)
}

/** The octet given by two hexadecimal digits; -1 when there are none. */
export function hexPair(octets: Uint8Array, at: number): number {
  const high = hexDigit(octets[at])
  const low = hexDigit(octets[at + 1])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30
  const letter = octet | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Octets in a named character set as text; null when the set is unknown. */
export function decodeCharset(octets: Uint8Array, charset: string): string | null {
  try {
    // The decoder builds its text in the heap, which has no room for several copies of a large one.
    if (octets.length >= LARGE_TEXT && /^utf-?8$/i.test(charset) && isUtf8(octets)) {
      return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('utf8')
    }
    return new TextDecoder(charset).decode(octets)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
