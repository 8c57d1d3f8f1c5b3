/** Rewrites headers with 8-bit text, which SMTP clients may submit, so that every server accepts the message. */
import { isUtf8 } from 'node:buffer'
import { AddressError, parseAddressList } from '../address/address.ts'
import { quote } from '../address/text.ts'
import { encodeParameter, parameterField } from '../compose/parameter.ts'
import { addressField } from '../header/address-field.ts'
import { customField } from '../header/custom-field.ts'
import { decodeCharset } from '../header/encoded-word.ts'
import { assertHeaderText, encodeText, fold, HeaderError, hasNonAscii } from '../header/header.ts'
import { isMailboxField } from '../header/mailbox-field.ts'
import { fieldValue, type RawField, readHeader, readParameters } from './header.ts'
import { assertHeaderLines, isEightBit, RawError } from './lines.ts'

/** @param lower name of a field in lower case */
export const isAddressField = (lower: string) => isMailboxField(lower) || ['to', 'cc', 'bcc'].includes(lower)

/**
 * Returns the message with encoded words (RFC 2047), or RFC 2231 parameters, in place of non-ASCII text in its header.
 * In mailboxes only names are encoded: a local part has no ASCII form, so such a message needs SMTPUTF8 on its way. A
 * field that is not UTF-8 (RFC 6532 3.2) is decoded in the charset of the message's Content-Type, or in Windows-1252: a
 * wrong guess may show a wrong letter, but a refusal would lose the mail. Expects CRLF lines. Throws RawError for a
 * field that has no ASCII form.
 */
export function withEncodedWords(raw: Buffer): Buffer {
  const empty = raw.indexOf('\r\n\r\n')
  if (!isEightBit(empty < 0 ? raw : raw.subarray(0, empty))) return raw
  assertHeaderLines(raw)
  const { fields } = readHeader(raw, 0, { strict: true })
  const charset = charsetOf(fields)
  const pieces: Uint8Array[] = []
  let from = 0
  for (const field of fields) {
    const octets = raw.subarray(field.start, field.end)
    if (!isEightBit(octets)) continue
    const text = isUtf8(octets) ? field.value : decoded(octets, charset)
    // Windows-1252 leaves some octets undefined, and doubly encoded text contains control characters (C1).
    const value = text.replace(/[\x80-\x9f]/g, '\ufffd')
    pieces.push(raw.subarray(from, field.start), Buffer.from(encoded({ ...field, value })))
    from = field.end
  }
  return Buffer.concat([...pieces, raw.subarray(from)])
}

const USUAL_CHARSET = 'windows-1252'

/** The likely charset of 8-bit text in the header. */
function charsetOf(fields: readonly RawField[]): string {
  const { parameters } = readParameters(fieldValue(fields, 'content-type'))
  const named = parameters.get('charset') ?? USUAL_CHARSET
  // A header cannot be in UTF-16.
  const usable = !/utf-?8/i.test(named) && decodeCharset(Buffer.from('A'), named) === 'A'
  return usable ? named : USUAL_CHARSET
}

/** The value of a field, unfolded. */
function decoded(octets: Buffer, charset: string): string {
  const value = decodeCharset(octets.subarray(octets.indexOf(':') + 1), charset) ?? ''
  return value.replaceAll('\r\n', '').trim()
}

function encoded({ name, lower, value }: RawField): string {
  return readable(name, () => {
    if (lower === 'content-type' || lower === 'content-disposition') return encodedParameters(name, value)
    if (!isAddressField(lower)) return customField(name, value)
    try {
      return addressField(name, parseAddressList(value))
    } catch (error) {
      // Sending and signing do not depend on the other fields.
      if (isMailboxField(lower)) throw error
      assertHeaderText(value, `The value of ${name}`)
      return fold(name, encodeText(value, name.length, hasNonAscii))
    }
  })
}

function encodedParameters(name: string, text: string): string {
  assertHeaderText(text, `The value of ${name}`)
  const { value, parameters } = readParameters(text)
  if (hasNonAscii(value)) throw new HeaderError('its value has characters that are not ASCII')
  const written = [...parameters].flatMap(([parameter, of]) => {
    if (hasNonAscii(parameter)) throw new HeaderError('the name of a parameter is not ASCII')
    // Few readers understand a boundary that is split into pieces (RFC 2231 3).
    return hasNonAscii(of) ? encodeParameter(parameter, of) : `${parameter}=${quote(of)}`
  })
  return parameterField(name, value, written)
}

/** A field of addresses, with encoded names, and local parts in UTF-8. Throws RawError. */
export function internationalAddresses(raw: Buffer, field: RawField): string {
  assertUtf8(raw, field)
  return readable(field.name, () => addressField(field.name, parseAddressList(field.value)))
}

function assertUtf8(raw: Buffer, { name, start, end }: RawField): void {
  if (isUtf8(raw.subarray(start, end))) return
  throw new RawError(`The field ${name} has 8-bit characters that are not UTF-8 (RFC 6532 3.2).`)
}

function readable(name: string, read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof HeaderError || error instanceof AddressError)) throw error
    throw new RawError(`The field ${name} cannot be used: ${error.message}.`)
  }
}
