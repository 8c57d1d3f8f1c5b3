/** Header fields: what may stand in them, how they are encoded and folded (RFC 5322 2.2, RFC 2047). */
import { AddressError, type Mailbox, parseAddressList } from '../address/address.ts'
import { describe } from '../address/idn.ts'
import { quote } from '../address/text.ts'
import { encodeWords, isEncoded } from './encoded-word.ts'

/** RFC 5322 2.1.1: a line should have at most 78 characters and must have at most 998 octets, without its CRLF. */
const SOFT_LIMIT = 78
const HARD_LIMIT = 998
/** Longer words are no words: they are encoded, so that the line can be broken. */
const LONGEST_WORD = 200

/** A name or value that cannot stand in a header. The message names the field, says why, and is fit to be shown to the sender. */
export class HeaderError extends Error {
  override name = 'HeaderError'
}

/** Composed by the service itself, or owned by the transport: custom values for them are ignored. */
const RESERVED = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  // It would tell every recipient of the hidden ones, as Bcc would (RFC 5322 3.6.6).
  'resent-bcc',
  'subject',
  'message-id',
  'reply-to',
  'mime-version',
  'return-path',
  'received',
  'dkim-signature',
  'authentication-results',
  // What describes the body as it is encoded (RFC 2045, RFC 2183, RFC 1864) is true only of a body of the sender's making. Other
  // Content-* fields, such as Content-Language (RFC 3282), say something about the content and are the sender's to set.
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'content-id',
  'content-md5',
  'content-length',
])

/** True for names whose custom values are ignored, in any case of letters: the structure and trace fields and `ARC-*`. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || lower.startsWith('arc-')
}

/** RFC 5322 2.2: printable ASCII without the colon. */
export function isFieldName(name: string): boolean {
  return /^[!-9;-~]+$/.test(name) && name.length < SOFT_LIMIT
}

/** @throws HeaderError for a name that RFC 5322 2.2 does not allow, or of 78 characters and more */
export function assertFieldName(name: string): void {
  if (isFieldName(name)) return
  if (name === '') throw new HeaderError('A header has an empty name')
  const stray = /[^!-9;-~]/u.exec(name)
  throw new HeaderError(
    stray
      ? `The header name "${visible(name)}" contains ${describe(stray[0])}`
      : `The header name "${visible(name)}" is longer than ${SOFT_LIMIT - 1} characters`,
  )
}

/**
 * Refuses what would end a header line or damage it: CR, LF, NUL and other controls except TAB, halves of surrogate pairs.
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

/** Words of printable ASCII with single spaces between them, short enough that none of them is too long. */
function isSimple(text: string): boolean {
  return text.length <= LONGEST_WORD && /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes('=?')
}

/** A field of free text (Subject, Comments). Whatever ASCII cannot show reliably becomes encoded words. */
export function textField(name: string, text: string): string {
  // Nearly all are: nothing in them can need encoding or damage the header.
  if (isSimple(text)) return fold(name, text)
  assertHeaderText(text, `The value of ${name}`)
  return fold(name, encodeText(text, name.length, needsEncoding))
}

/**
 * Mailboxes, folded between and inside them. Display names become atoms, quoted strings or encoded words; a non-ASCII local part
 * stays raw UTF-8, which makes the message need SMTPUTF8 (RFC 6532 3.2).
 */
export function addressField(name: string, mailboxes: Pick<Mailbox, 'name' | 'address'>[]): string {
  let value = ''
  for (const mailbox of mailboxes) {
    if (value !== '') value += ', '
    if (mailbox.name === '') {
      // In brackets, so that no reader takes a quoted local part for a name or for the address itself.
      value += mailbox.address.startsWith('"') ? `<${mailbox.address}>` : mailbox.address
    } else {
      assertHeaderText(mailbox.name, `A display name in ${name}`)
      value += `${encodePhrase(mailbox.name, value === '' ? name.length : 0)} <${mailbox.address}>`
    }
  }
  return fold(name, value)
}

/** A field whose value must arrive as it is: folded at its white space, nothing else. ASCII only. */
export function verbatimField(name: string, value: string): string {
  assertHeaderText(value, `The value of ${name}`)
  const stray = /[^\x00-\x7f]/u.exec(value)
  if (stray) {
    throw new HeaderError(
      `The value of ${name} contains ${describe(stray[0])}, but only ASCII may stand there`,
    )
  }
  return fold(name, value)
}

/** Fields that hold mailboxes besides the reserved ones (RFC 5322 3.6.2, 3.6.6; RFC 8098 2.1). */
const ADDRESS_FIELDS = new Set([
  'sender',
  'resent-from',
  'resent-to',
  'resent-cc',
  'resent-sender',
  'disposition-notification-to',
  'return-receipt-to',
  'errors-to',
])

/** Fields of message ids, URLs and keywords: an encoded word would be wrong in them (RFC 2047 5, RFC 2369 2, RFC 3834 5). */
const VERBATIM_FIELDS = new Set([
  'references',
  'in-reply-to',
  'date',
  'auto-submitted',
  'precedence',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-subscribe',
  'list-help',
  'list-post',
  'list-owner',
  'list-archive',
])

/**
 * A field that the sender named. An ASCII value is folded and otherwise left alone, so what is encoded already stays so.
 * @throws HeaderError when the value cannot be written there
 */
export function customField(name: string, value: string): string {
  assertFieldName(name)
  const lower = name.toLowerCase()
  if (/^[\x00-\x7f]*$/.test(value) || VERBATIM_FIELDS.has(lower)) return verbatimField(name, value)
  assertHeaderText(value, `The value of ${name}`)
  if (ADDRESS_FIELDS.has(lower)) {
    const mailboxes = addressValue(name, value)
    return addressField(name, mailboxes)
  }
  return fold(name, encodeText(value.trim(), name.length, hasNonAscii))
}

/** True when a custom field would put raw UTF-8 into the header (a mailbox with a non-ASCII local part). */
export function customFieldNeedsUtf8(name: string, value: string): boolean {
  if (!hasNonAscii(value) || !ADDRESS_FIELDS.has(name.toLowerCase())) return false
  return addressValue(name, value).some((mailbox) => hasNonAscii(mailbox.local))
}

function addressValue(name: string, value: string): Mailbox[] {
  try {
    return parseAddressList(value)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new HeaderError(`The value of ${name} is not valid: ${error.message}`, { cause: error })
  }
}

export function hasNonAscii(text: string): boolean {
  return /[^\x00-\x7f]/.test(text)
}

/** A word that would not arrive as written: non-ASCII, taken for an encoded word, or too long to fold around. */
function needsEncoding(word: string): boolean {
  return hasNonAscii(word) || word.includes('=?') || word.length > LONGEST_WORD
}

/**
 * Encodes from the first word that needs it to the last one; the words before and after stay readable. White space that a reader
 * would drop goes into the encoded part: more than one space beside it (RFC 2047 6.2). At the ends of the text nothing else keeps it.
 */
function encodeText(text: string, nameLength: number, needs: (word: string) => boolean): string {
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
  // Where little of the line is left, the encoded part begins on the next one.
  const room = rest < 30 && first > 0 ? undefined : rest
  return text.slice(0, first) + encodeWords(text.slice(first, last), room) + text.slice(last)
}

/** RFC 2047 2: a line with an encoded word has at most 76 characters; colon and space take two of the first one. */
const MAX_FIRST = 74

/** RFC 5322 3.2.3 atoms with single spaces between them. */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/

/** RFC 5322 3.2.5 phrase. */
function encodePhrase(name: string, nameLength: number): string {
  if (isEncoded(name)) return name
  if (!isSimple(name) && name.split(' ').some(needsEncoding)) return encodeWords(name, MAX_FIRST - nameLength)
  return ATOMS.test(name) ? name : quote(name)
}

/**
 * Writes `name: value` and its CRLF, broken before white space wherever a line would pass 78 characters (RFC 5322 2.2.3).
 * @throws HeaderError when a line stays over 998 octets
 */
function fold(name: string, value: string): string {
  const text = value.trimEnd()
  if (text.trimStart() === '') return `${name}:\r\n`
  if (name.length + 2 + text.length <= SOFT_LIMIT) return `${name}: ${text.trimStart()}\r\n`
  let out = `${name}:`
  let column = out.length
  for (const { 0: segment } of ` ${text.trimStart()}`.matchAll(/[ \t]+[^ \t]+/g)) {
    const width = hasNonAscii(segment) ? Buffer.byteLength(segment) : segment.length
    if (width > HARD_LIMIT) {
      throw new HeaderError(
        `The value of ${name} has ${width} octets without a space; a header line holds at most ${HARD_LIMIT}`,
      )
    }
    // Directly behind the name a break is legal but badly read, so it is made only where the hard limit asks for it.
    const begin = column === name.length + 1
    if (column + width > (begin ? HARD_LIMIT : SOFT_LIMIT)) {
      out += '\r\n'
      column = 0
    }
    out += segment
    column += width
  }
  return `${out}\r\n`
}

function visible(text: string): string {
  const shown = text
    .slice(0, 60)
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  return text.length > 60 ? `${shown}…` : shown
}
