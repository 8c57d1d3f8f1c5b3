/** Header fields: their allowed content, encoding and folding (RFC 5322 2.2, RFC 2047). */
import { describe } from '../address/idn.ts'
import { excerpt } from '../excerpt.ts'
import { encodeWords } from './encoded-word.ts'

/** Octets of the header of one message, far above any real one. */
export const MAX_HEADER = 256 * 1024
/** RFC 5322 2.1.1: a line should have at most 78 characters and must have at most 998 octets, without its CRLF. */
const SOFT_LIMIT = 78
const HARD_LIMIT = 998
/** RFC 2047 2: a line with an encoded word in it has at most 76. */
const ENCODED_LIMIT = 76
/** A longer word is encoded, so that the line can be broken. */
const LONGEST_WORD = 200

/**
 * A name or value that cannot stand in a header. The message names the field, gives the reason, and may be shown to the
 * sender.
 */
export class HeaderError extends Error {
  override name = 'HeaderError'
}

/** Fields written by the service itself, or owned by the transport: custom values for them are ignored. */
const RESERVED = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  // Like Bcc, it would show the hidden recipients to all others (RFC 5322 3.6.6).
  'resent-bcc',
  'subject',
  'message-id',
  'reply-to',
  'mime-version',
  'return-path',
  'received',
  'dkim-signature',
  'authentication-results',
  // Fields that describe the encoded body (RFC 2045, RFC 2183, RFC 1864) would be true only of a body that the sender
  // composed. Other Content-* fields, such as Content-Language (RFC 3282), describe the content and are the sender's to
  // set.
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'content-id',
  'content-md5',
  'content-length',
])

/** True for names whose custom values are ignored, in any case: the structure and trace fields and `ARC-*`. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || lower.startsWith('arc-')
}

/** RFC 5322 2.2: printable ASCII without the colon. */
function isFieldName(name: string): boolean {
  return /^[!-9;-~]+$/.test(name) && name.length < SOFT_LIMIT
}

/** @throws HeaderError for a name that RFC 5322 2.2 does not allow, or of 78 characters and more */
export function assertFieldName(name: string): void {
  if (isFieldName(name)) return
  if (name === '') throw new HeaderError('A header has an empty name')
  const stray = /[^!-9;-~]/u.exec(name)
  throw new HeaderError(
    stray
      ? `The header name "${excerpt(name)}" contains ${describe(stray[0])}`
      : `The header name "${excerpt(name)}" is longer than ${SOFT_LIMIT - 1} characters`,
  )
}

/**
 * Refuses text that would end or damage a header line: CR, LF, NUL and other controls except TAB, halves of surrogate
 * pairs.
 * @param what names the value in the error, e.g. `The subject`
 * @throws HeaderError
 */
export function assertHeaderText(text: string, what: string): void {
  const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/.exec(text)
  if (control) {
    throw new HeaderError(`${what} contains ${describe(control[0])} at character ${control.index + 1}`)
  }
  if (!text.isWellFormed()) throw new HeaderError(`${what} contains half of a surrogate pair`)
}

/** True for words of printable ASCII with single spaces between them, none of which is too long. */
export function isSimple(text: string): boolean {
  return text.length <= LONGEST_WORD && /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes('=?')
}

/** A field of free text (Subject, Comments). Text that ASCII cannot show reliably becomes encoded words. */
export function textField(name: string, text: string): string {
  // Nearly all texts are simple: nothing in them needs encoding or can damage the header.
  if (isSimple(text)) return fold(name, text)
  assertHeaderText(text, `The value of ${name}`)
  return fold(name, encodeText(text, name.length, needsEncoding))
}

export function hasNonAscii(text: string): boolean {
  return /[^\x00-\x7f]/.test(text)
}

/**
 * True for a word that would not arrive as written: non-ASCII, taken for an encoded word, or too long to fold around.
 */
export function needsEncoding(word: string): boolean {
  return hasNonAscii(word) || word.includes('=?') || word.length > LONGEST_WORD
}

/**
 * Encodes from the first word that needs it to the last one; the words before and after stay readable. White space that
 * a reader would drop goes into the encoded part: more than one space beside it (RFC 2047 6.2), and space at the ends
 * of the text.
 */
export function encodeText(text: string, nameLength: number, needs: (word: string) => boolean): string {
  if (text.trim() === '' && !hasNonAscii(text)) return ''
  if (/^[ \t]|[ \t]$/.test(text)) return encodeWords(text, MAX_FIRST - nameLength)
  let first = -1
  let last = -1
  for (const { 0: word, index } of text.matchAll(/[^ \t]+/g)) {
    if (!needs(word)) continue
    if (first < 0) first = index
    last = index + word.length
  }
  if (first < 0) return text
  while (first > 0 && !(text[first - 1] === ' ' && /[^ \t]/.test(text[first - 2] ?? ' '))) first--
  while (last < text.length && !(text[last] === ' ' && /[^ \t]/.test(text[last + 1] ?? ' '))) last++
  const rest = MAX_FIRST - nameLength - first
  // When little of the line is left, the encoded part begins on the next one.
  const room = rest < 30 && first > 0 ? undefined : rest
  return text.slice(0, first) + encodeWords(text.slice(first, last), room) + text.slice(last)
}

/** Characters for name and encoded word on the first line: colon and space take two. */
export const MAX_FIRST = ENCODED_LIMIT - 2

/** A piece that is never broken, with the white space before it. */
const WORDS = /[ \t]+[^ \t]+/g
/**
 * The same for a field in which quotes have a meaning. RFC 5322 3.2.4 allows a fold between quotes, but for some
 * readers the quoted string ends at the CR, and the rest of it becomes an address.
 */
export const QUOTED_OR_WORDS = /[ \t]+(?:"(?:[^"\\]|\\.)*"|[^ \t])+/gs

/**
 * Writes `name: value` and its CRLF, broken before white space wherever a line would pass 78 characters, or 76 with an
 * encoded word in it (RFC 5322 2.2.3, RFC 2047 2).
 * @throws HeaderError when a line stays over 998 octets
 */
export function fold(name: string, value: string, unbroken = WORDS): string {
  const text = value.trimEnd()
  if (text.trimStart() === '') return `${name}:\r\n`
  const width = name.length + 2 + text.length
  if (width <= ENCODED_LIMIT || (width <= SOFT_LIMIT && !text.includes('=?'))) {
    return `${name}: ${text.trimStart()}\r\n`
  }
  let out = `${name}:`
  let column = out.length
  let encoded = false
  for (const { 0: segment } of ` ${text.trimStart()}`.matchAll(unbroken)) {
    const width = hasNonAscii(segment) ? Buffer.byteLength(segment) : segment.length
    if (width > HARD_LIMIT) {
      throw new HeaderError(
        `The value of ${name} has ${width} octets without a space; a header line holds at most ${HARD_LIMIT}`,
      )
    }
    // A break right after the name is legal but badly read, so it is made only when necessary.
    const begin = out.length === name.length + 1
    const word = segment.includes('=?')
    const limit = encoded || word ? ENCODED_LIMIT : begin ? HARD_LIMIT : SOFT_LIMIT
    if (column + width > limit) {
      out += '\r\n'
      column = 0
      encoded = false
    }
    encoded ||= word
    out += segment
    column += width
  }
  return `${out}\r\n`
}
