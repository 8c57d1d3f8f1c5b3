/** Batch sending of ready messages: recipient variables inside a MIME message that the sender composed. */
import { AddressError, parseAddressList } from '../address/address.ts'
import { encodeParameter, parameterField } from '../compose/parameter.ts'
import { base64Length, encodeText, withCrlf } from '../compose/transfer-encoding.ts'
import { addressField } from '../header/address-field.ts'
import { customField } from '../header/custom-field.ts'
import { decodeCharset, decodeWords } from '../header/encoded-word.ts'
import { isReservedHeader, textField } from '../header/header.ts'
import { isMailboxField } from '../header/mailbox-field.ts'
import { joinedOctets } from '../large-text.ts'
import { type MediaType, parseMediaType } from '../media-type.ts'
import { decodeQuotedPrintable } from '../raw/decode.ts'
import { encodeContent } from '../raw/encode.ts'
import {
  type Addressee,
  filledMailboxes,
  filledMessageId,
  substituteHeaderText,
  substituteText,
  withoutServicePlaceholders,
} from './substitute.ts'

/** Parts that are nested deeper, or have a longer header (in octets), are sent as they are. */
const MAX_DEPTH = 20
const MAX_HEADER = 256 * 1024

/** RFC 2046 5.1.5: the type of a part in a digest that names none. */
const MESSAGE: MediaType = { essence: 'message/rfc822', parameters: [] }

const isAddressField = (lower: string) => lower === 'to' || lower === 'cc' || isMailboxField(lower)

/**
 * The message with an addressee's values in its header fields and its text parts, in any transfer encoding. Fields and
 * parts without placeholders keep their octets; a part that changes is sent as UTF-8. `To: %recipient%` becomes the
 * addressee's mailbox. Attached files, signed parts and messages inside the message are left alone.
 * @throws HeaderError when a value with a line break lands in a header
 */
export function substituteRaw(raw: Uint8Array, addressee: Addressee): Buffer {
  const filling: FieldSubstitution = {
    field: (field) => fillField(field, addressee),
    text: (text) => substituteText(text, addressee),
  }
  const pieces: string[] = []
  fillEntity(latin1(raw), null, filling, 0, pieces)
  return joinedOctets(pieces)
}

/** The text parts that values are filled into, decoded: those with a placeholder in them. */
export function textsWithPlaceholders(raw: Uint8Array): string[] {
  const texts: string[] = []
  const text = (text: string) => {
    if (text.includes('%recipient')) texts.push(text)
    return text
  }
  fillEntity(latin1(raw), null, { field: (field) => field, text }, 0, [])
  return texts
}

/** The changes to the fields of the message and to its text parts. */
interface FieldSubstitution {
  field(field: string): string
  text(text: string): string
}

function latin1(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
}

/**
 * Fills a message or body part: fields, empty line, body. One character is one octet here. The result goes to `out`, in
 * pieces. `untyped`: the type if it names none; null: text.
 */
function fillEntity(
  entity: string,
  untyped: MediaType | null,
  filling: FieldSubstitution,
  depth: number,
  out: string[],
): void {
  const parts = split(entity)
  if (parts === null) {
    out.push(entity)
    return
  }
  const { fields, gap, body } = parts
  const type = contentType(fields) ?? untyped
  const filled = depth === 0 ? fields.map((field) => filling.field(field)) : fields
  if (type?.essence.startsWith('multipart/')) {
    const boundary = parameter(type, 'boundary')
    pushAll(out, filled)
    out.push(gap)
    const untypedPart = type.essence === 'multipart/digest' ? MESSAGE : null
    // RFC 1847 2.1: signed parts must not be changed, or the signature breaks.
    const isKept = boundary === undefined || depth === MAX_DEPTH || type.essence === 'multipart/signed'
    if (isKept) out.push(body)
    else fillMultipart(body, boundary, untypedPart, filling, depth, out)
    return
  }
  const isText = type === null || type.essence.startsWith('text/')
  if (!isText || /^attachment/i.test(fieldValue(fields, 'content-disposition') ?? '')) {
    pushAll(out, filled)
    out.push(gap, body)
  } else fillText({ fields: filled, gap, body }, type, filling, depth, out)
}

function fillText(
  { fields, gap, body }: Entity,
  type: MediaType | null,
  filling: FieldSubstitution,
  depth: number,
  out: string[],
): void {
  const octets = decodeBody(body, fieldValue(fields, 'content-transfer-encoding') ?? '7bit')
  const text = octets && decodeCharset(octets, (type && parameter(type, 'charset')) ?? 'utf-8')
  const filled = text === null ? text : filling.text(text)
  if (filled === null || filled === text) {
    pushAll(out, fields)
    out.push(gap, body)
    return
  }
  const encoded = depth === 0 ? encodeText(filled) : encodeWithoutDelimiters(filled)
  const parameters = (type?.parameters ?? []).filter(([name]) => name !== 'charset')
  pushAll(
    out,
    fields.filter((field) => !/^content-(?:type|transfer-encoding)[ \t]*:/i.test(field)),
  )
  out.push(
    parameterField('Content-Type', type?.essence ?? 'text/plain', [
      'charset=utf-8',
      ...parameters.flatMap(([name, value]) => encodeParameter(name, value)),
    ]),
    `Content-Transfer-Encoding: ${encoded.encoding}\r\n`,
    gap || '\r\n',
    encoded.body,
  )
}

/**
 * Encodes text inside a multipart that the sender made. Values come from people the sender writes to, and one of them
 * may know the boundary: no line of a value, nor one made by a soft break, may look like a delimiter.
 */
function encodeWithoutDelimiters(text: string): { encoding: string; body: string } {
  const encoded = encodeText(text)
  if (encoded.encoding === 'base64' || !/^--/m.test(encoded.body)) return encoded
  const octets = Buffer.from(withCrlf(text))
  const readable = encodeContent(octets, true)
  // With many hyphens escaped, the body could be longer than the estimated size of the copy.
  const longer = readable.body.length > base64Length(octets.length)
  const { encoding, body } = longer ? encodeContent(octets, false) : readable
  return { encoding, body: body.toString('latin1') }
}

/** Pushed one by one: there may be more pieces than a call takes arguments. */
function pushAll(out: string[], pieces: readonly string[]): void {
  for (const piece of pieces) out.push(piece)
}

/** Octets of a body; null for an unknown encoding. */
function decodeBody(body: string, encoding: string): Buffer | null {
  switch (encoding.trim().toLowerCase()) {
    case '7bit':
    case '8bit':
    case 'binary':
      return Buffer.from(body, 'latin1')
    case 'quoted-printable':
      return decodeQuotedPrintable(Buffer.from(body, 'latin1'))
    case 'base64':
      return Buffer.from(body, 'base64')
    default:
      return null
  }
}

/** RFC 2046 5.1.1: fills the parts between the boundary lines; preamble and epilogue stay as they are. */
function fillMultipart(
  body: string,
  boundary: string,
  untyped: MediaType | null,
  filling: FieldSubstitution,
  depth: number,
  out: string[],
): void {
  const delimiter = `--${boundary}`
  /** The position after the last boundary line; -1 in the preamble. */
  let start = -1
  let copied = 0
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    if (at > 0 && body[at - 1] !== '\n') continue
    const line = /[^\n]*\n?/y
    line.lastIndex = at + delimiter.length
    const rest = line.exec(body)![0]
    if (!/^(?:--)?[ \t]*\r?\n?$/.test(rest)) continue
    if (start >= 0) {
      // The line break before a boundary line does not belong to the part (5.1.1).
      const end = Math.max(start, body[at - 2] === '\r' ? at - 2 : at - 1)
      out.push(body.slice(copied, start))
      fillEntity(body.slice(start, end), untyped, filling, depth + 1, out)
      copied = end
    }
    start = line.lastIndex
    if (rest.startsWith('--')) break
  }
  out.push(body.slice(copied))
}

function fillField(field: string, addressee: Addressee): string {
  const colon = field.indexOf(':')
  if (colon < 0) return field
  const name = field.slice(0, colon).trim()
  const value = unfold(field.slice(colon + 1))
  const decoded = decodeWords(value)
  if (!decoded.includes('%')) return field
  const lower = name.toLowerCase()
  if (lower === 'to' && decoded === '%recipient%') return addressField(name, [addressee])
  if (isAddressField(lower)) return fillNames(field, name, value, addressee)
  if (lower === 'message-id') {
    const filled = filledMessageId(value.trim(), addressee)
    return filled === value.trim() ? field : `Message-ID: ${filled}\r\n`
  }
  if (lower !== 'subject' && isReservedHeader(lower)) return field
  const filled = withoutServicePlaceholders(substituteHeaderText(decoded, name, addressee))
  if (filled === decoded) return field
  if (filled === '') return ''
  return lower === 'subject' ? textField(name, filled) : customField(name, filled)
}

/** In a field of mailboxes only display names are filled in: a value must not decide who a message is from or to. */
function fillNames(field: string, name: string, value: string, addressee: Addressee): string {
  try {
    const filled = filledMailboxes(parseAddressList(value), name, addressee)
    return filled === null ? field : addressField(name, filled)
  } catch (error) {
    // Not a list that we can rewrite; it leaves as the sender wrote it.
    if (error instanceof AddressError) return field
    throw error
  }
}

/** Fields with their line breaks, the empty line, and the rest. */
interface Entity {
  fields: string[]
  gap: string
  body: string
}

function split(entity: string): Entity | null {
  const empty = /^\r?\n|\r?\n(\r?\n)/.exec(entity)
  const gap = empty === null ? '' : (empty[1] ?? empty[0])
  const end = empty === null ? entity.length : empty.index + empty[0].length
  if (end > MAX_HEADER) return null
  return { fields: fieldsOf(entity.slice(0, end - gap.length)), gap, body: entity.slice(end) }
}

function fieldsOf(header: string): string[] {
  return header === '' ? [] : header.split(/(?<=\n)(?![ \t])/)
}

function fieldValue(fields: string[], name: string): string | undefined {
  const field = fields.find((field) => field.slice(0, field.indexOf(':')).trim().toLowerCase() === name)
  return field === undefined ? undefined : unfold(field.slice(field.indexOf(':') + 1))
}

function contentType(fields: string[]): MediaType | null {
  const value = fieldValue(fields, 'content-type')
  // A part of unreadable type is not looked into.
  return value === undefined
    ? null
    : (parseMediaType(value) ?? { essence: 'application/octet-stream', parameters: [] })
}

function parameter(type: MediaType, name: string): string | undefined {
  return type.parameters.find(([key]) => key === name)?.[1]
}

/** RFC 5322 2.2.3; header octets are read as UTF-8 (RFC 6532 3.2). */
function unfold(value: string): string {
  return Buffer.from(value.replace(/\r?\n/g, ''), 'latin1').toString('utf8').trim()
}
