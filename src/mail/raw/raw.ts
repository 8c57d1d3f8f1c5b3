/** Ready MIME messages, submitted to be sent as they are: reads them, and makes them fit for sending. */

import { AddressError, type Mailbox } from '../address/address.ts'
import { excerpt } from '../excerpt.ts'
import { messageDate } from '../header/date.ts'
import { isAuthorField, isMailboxField, mailboxField, readMailboxField } from '../header/mailbox-field.ts'
import { isMessageId } from '../header/message-id.ts'
import { OCCURS_ONCE } from '../header/once.ts'
import { isControlField, type RawControl, readControl } from './control.ts'
import { decodeBody, decodeCharset, decodeText } from './decode.ts'
import { type RawFileNames, rawFileNames } from './files.ts'
import { type RawField, type RawHeader, readHeader } from './header.ts'
import { internationalAddresses, isAddressField } from './international.ts'
import { isEightBit, MAX_LINE, RawError, withCrlfLines } from './lines.ts'
import { PLAIN_LINES, rewriteParts, SEVEN_BIT } from './rewrite.ts'
import { isIdentity, type RawPart, readStructure } from './structure.ts'

export type { RawControl } from './control.ts'
export { isEightBit, RawError } from './lines.ts'

/** The content of a ready message that is needed for checks and read-back. */
export interface RawMessage {
  /**
   * The value of From, unfolded and not decoded: `parseAddressList` parses the raw text first. Absent when there is
   * none.
   */
  from?: string
  /** To and Cc, in the same form. */
  to: string[]
  cc: string[]
  replyTo: Mailbox[]
  /** Further authors named by the header: Sender, Resent-From and the like. */
  authors: { field: string; mailbox: Mailbox }[]
  subject: string
  /** The value of the field; one that is not of the form `<left@right>` is replaced. */
  messageId?: string
  /** Unix milliseconds; absent when there is no readable date. */
  date?: number
  /** The first text/plain and text/html parts that are not attachments, at most 10 MB each. */
  text?: string
  html?: string
  files: RawFileNames
  /** All fields of the header in order, unfolded, not decoded. */
  headers: [name: string, value: string][]
  control: RawControl
}

/** The most octets of a body that are decoded for read-back. */
const READ_BACK_LIMIT = 10_000_000

/**
 * Fields removed before sending. Bcc would show the hidden recipients to all others (RFC 5322 3.6.3). The rest belongs
 * to the transport: Return-Path is set at final delivery (RFC 5321 4.4), Authentication-Results is for servers to add,
 * and DKIM signatures from before our changes would not verify (our own signature replaces them). Received stays: a
 * server must not remove it (RFC 5321 4.4), because it shows mail loops.
 */
const REMOVED = new Set(['bcc', 'resent-bcc', 'return-path', 'authentication-results', 'dkim-signature'])
const isRemoved = (lower: string) => REMOVED.has(lower) || lower.startsWith('arc-') || isControlField(lower)

/** A parsed ready message. */
export interface OpenMessage {
  /** With CRLF lines. */
  octets: Buffer
  header: RawHeader
}

/** The first step of `readRaw` and `normaliseRaw`. Throws RawError as `readRaw` does for the header. */
export function openMessage(raw: Uint8Array): OpenMessage {
  const octets = withCrlfLines(withoutEnvelopeLine(raw))
  return { octets, header: readMessageHeader(octets) }
}

const opened = (raw: Uint8Array | OpenMessage) => (raw instanceof Uint8Array ? openMessage(raw) : raw)

/**
 * Reads a ready message. Line ends may be CRLF, LF or CR; the header must not mix them. Throws RawError when the header
 * has lines that are not fields, repeats a field that may occur only once, is over the limits (256 KiB, 1000 fields,
 * 10,000 parts, 64 levels), or has a Sender, Reply-To or Resent-* field that is not a list of plain mailboxes.
 */
export function readRaw(raw: Uint8Array | OpenMessage): RawMessage {
  const { octets, header } = opened(raw)
  const { fields } = header
  const values = (name: string) => fields.filter(({ lower }) => lower === name).map(({ value }) => value)
  const root = readStructure(octets)
  // All fields are read now, because `normaliseRaw` would refuse one too late.
  const mailboxes = fields
    .filter(({ lower }) => isMailboxField(lower) && lower !== 'from')
    .flatMap((field) => mailboxesOf(field).map((mailbox) => ({ field, mailbox })))
  const message: RawMessage = {
    files: rawFileNames(root),
    to: values('to'),
    cc: values('cc'),
    replyTo: mailboxes.filter(({ field }) => field.lower === 'reply-to').map(({ mailbox }) => mailbox),
    authors: mailboxes
      .filter(({ field }) => isAuthorField(field.lower))
      .map(({ field, mailbox }) => ({ field: field.name, mailbox })),
    subject: decodeText(values('subject')[0] ?? ''),
    headers: fields.map(({ name, value }) => [name, value]),
    control: readControl(fields),
  }
  const from = values('from')[0]
  if (from !== undefined) message.from = from
  const messageId = values('message-id')[0]
  if (messageId !== undefined) message.messageId = messageId
  const date = Date.parse((values('date')[0] ?? '').replace(/\([^()]*\)/g, ''))
  if (!Number.isNaN(date)) message.date = date
  const text = firstBody(octets, root, 'text/plain')
  if (text !== undefined) message.text = text
  const html = firstBody(octets, root, 'text/html')
  if (html !== undefined) message.html = html
  return message
}

/** A header of legal size ends within this many octets, unless its line ends have many octets each. */
const HEADER_ENDS_WITHIN = 512 * 1024

/** Reads only the control fields, without the body. Throws RawError when `readRaw` refuses the header. */
export function readRawControl(raw: Uint8Array): RawControl {
  const message = withoutEnvelopeLine(raw)
  // No header goes on after an empty line.
  const empty = message.subarray(0, HEADER_ENDS_WITHIN).indexOf('\r\n\r\n')
  let cut = empty < 0 ? Math.min(HEADER_ENDS_WITHIN, message.length) : empty + 4
  // A line end must not be cut in two.
  if (cut < message.length) while (message[cut - 1] === 0x0d) cut--
  const { fields, end, bodyStart } = readMessageHeader(withCrlfLines(message.subarray(0, cut)))
  if (bodyStart > end || cut === message.length) return readControl(fields)
  return readControl(readMessageHeader(withCrlfLines(message)).fields)
}

/**
 * The octets that will be sent: CRLF lines; without Bcc, transport fields and control fields; with Date, Message-ID and
 * MIME-Version if they are missing (a Message-ID not of the form `<left@right>` counts as missing). From, Sender,
 * Reply-To and Resent-* are rewritten from the mailboxes that were parsed, so that every reader finds the same ones.
 * Header lines over 998 octets are folded at white space; bodies with lines over 985 octets or with NUL are re-encoded.
 * Nothing else is changed, and given the same input the result is the same.
 *
 * Throws RawError for messages that `readRaw` refuses, for 8-bit or control characters in the header other than UTF-8
 * in addresses (encoding them would be guessing at what the sender meant), for lines that cannot be folded, and for
 * signed parts that would have to be changed.
 * @param defaults `messageId` with angle brackets; `date` in Unix milliseconds; `received`: a field to stand in front
 */
export function normaliseRaw(
  raw: Uint8Array | OpenMessage,
  defaults: { messageId: string; date: number; received?: string },
): Buffer {
  const message = opened(raw)
  const octets = rewriteParts(message.octets, PLAIN_LINES)
  const { fields, bodyStart } = octets === message.octets ? message.header : readMessageHeader(octets)
  const kept: string[] = defaults.received === undefined ? [] : [defaults.received]
  const present = new Set<string>()
  for (const field of fields) {
    if (isRemoved(field.lower)) continue
    if (field.lower === 'message-id' && !isMessageId(field.value)) continue
    present.add(field.lower)
    const lines = fieldLines(octets, field)
    kept.push(isMailboxField(field.lower) ? latin1(mailboxField(field.name, mailboxesOf(field))) : lines)
  }
  const added: string[] = []
  if (!present.has('date')) added.push(`Date: ${messageDate(defaults.date)}\r\n`)
  if (!present.has('message-id')) added.push(`Message-ID: ${defaults.messageId}\r\n`)
  if (!present.has('mime-version')) added.push('MIME-Version: 1.0\r\n')
  const header = Buffer.from(`${kept.join('')}${added.join('')}\r\n`, 'latin1')
  return Buffer.concat([header, octets.subarray(bodyStart)])
}

/**
 * The message without 8-bit octets, for a server that does not take them (RFC 6152 3): bodies of 8-bit parts are
 * encoded as quoted-printable or base64, and their encoding labels changed; everything else is left alone. Expects a
 * result of `normaliseRaw`. Throws RawError when that is impossible, which is permanent for such a server: for a signed
 * part (it would no longer verify), for a type that may not be encoded, and for 8-bit octets in a header.
 */
export function toSevenBit(raw: Buffer): Buffer {
  if (!isEightBit(raw)) return raw
  const octets = withCrlfLines(raw)
  const { bodyStart } = readMessageHeader(octets)
  if (isEightBit(octets.subarray(0, bodyStart))) {
    throw new RawError('The header of the message has 8-bit characters, which the next server does not take.')
  }
  return rewriteParts(octets, SEVEN_BIT)
}

/** A BOM, empty lines and the "From " line of an mbox file at the start are not part of the message. */
export function withoutEnvelopeLine(raw: Uint8Array): Buffer {
  let start = raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0
  while (raw[start] === 0x0d || raw[start] === 0x0a) start++
  if (Buffer.from(raw.subarray(start, start + 5)).toString('latin1') === 'From ') {
    while (start < raw.length && raw[start] !== 0x0d && raw[start] !== 0x0a) start++
    while (raw[start] === 0x0d) start++
    if (raw[start] === 0x0a) start++
  }
  return Buffer.from(raw.buffer, raw.byteOffset + start, raw.byteLength - start)
}

function readMessageHeader(octets: Buffer): RawHeader {
  const header = readHeader(octets, 0, { strict: true })
  if (header.fields.length === 0) throw new RawError('The message has no header.')
  const seen = new Set<string>()
  for (const { name, lower } of header.fields) {
    if (!OCCURS_ONCE.has(lower)) continue
    if (seen.has(lower))
      throw new RawError(`The header has the field ${name} more than once (RFC 5322 3.6 allows one).`)
    seen.add(lower)
  }
  return header
}

/** Throws RawError when the field cannot be read. */
function mailboxesOf({ name, lower, value }: RawField): Mailbox[] {
  try {
    return readMailboxField(lower, value)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new RawError(`The field ${name} cannot be used: ${error.message}.`)
  }
}

/** The field in Latin-1, with its CRLF; refolded where a line is too long. */
function fieldLines(octets: Buffer, field: RawField): string {
  const source = octets.toString('latin1', field.start, field.end)
  const stray = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]/.exec(source)
  if (stray !== null && stray[0] >= '\x80' && isAddressField(field.lower)) {
    return latin1(internationalAddresses(octets, field))
  }
  if (stray !== null) {
    throw new RawError(
      stray[0] >= '\x80'
        ? `The field ${field.name} has 8-bit characters; write them as encoded words (RFC 2047).`
        : `The field ${field.name} has a control character (octet ${stray[0].charCodeAt(0)}).`,
    )
  }
  const body = source.slice(source.indexOf(':'))
  return `${(field.name + (body.endsWith('\r\n') ? body.slice(0, -2) : body))
    .split('\r\n')
    // Drops lines of white space, which some readers take for the end of the header.
    .filter((line, index) => index === 0 || /[^ \t]/.test(line))
    .map((line, index) => foldLine(line, field.name, index === 0 ? field.name.length + 1 : 0))
    .join('\r\n')}\r\n`
}

/** UTF-8 octets, as Latin-1 characters. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Folding happens at white space only, which stays (RFC 5322 2.2.3). */
function foldLine(line: string, name: string, textFrom: number): string {
  if (line.length <= MAX_LINE) return line
  const lines: string[] = []
  // White space after the text would become a line of white space.
  let end = line.length
  while (isBlank(line[end - 1])) end--
  let rest = line.slice(0, end)
  while (rest.length > MAX_LINE) {
    let at = MAX_LINE
    while (at > 0 && !(isBlank(rest[at]) && !isBlank(rest[at - 1]))) at--
    // A fold right after the name, or after nothing but white space, would make a line without text.
    if (!/[^ \t]/.test(rest.slice(lines.length === 0 ? textFrom : 0, at))) {
      throw new RawError(
        `The field ${name} has a line of ${line.length} octets that cannot be folded; ${MAX_LINE} are allowed: "${excerpt(line)}".`,
      )
    }
    lines.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...lines, rest].join('\r\n')
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** The first part of a type in reading order. Attached messages and their parts do not count as the body. */
function firstBody(octets: Buffer, root: RawPart, type: string): string | undefined {
  const waiting = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) waiting.push(...part.children.toReversed())
    else if (part.type === type && part.disposition !== 'attachment') {
      const known =
        isIdentity(part.encoding) || part.encoding === 'base64' || part.encoding === 'quoted-printable'
      if (!known) continue
      const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + READ_BACK_LIMIT)
      return decodeCharset(decodeBody(octets, { ...part, bodyEnd }), part.parameters.get('charset'))
    }
  }
  return undefined
}
