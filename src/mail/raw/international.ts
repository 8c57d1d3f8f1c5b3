/**
 * Headers in UTF-8 (RFC 6532), as they come over SMTP with SMTPUTF8: there the meaning of 8-bit octets is known, and
 * most of them can be encoded so that every server takes the message.
 */
import { isUtf8 } from 'node:buffer'
import { AddressError, parseAddressList } from '../address/address.ts'
import { addressField } from '../header/address-field.ts'
import { customField } from '../header/custom-field.ts'
import { HeaderError } from '../header/header.ts'
import { isMailboxField } from '../header/mailbox-field.ts'
import { type RawField, readHeader } from './header.ts'
import { isEightBit, RawError } from './lines.ts'

/** @param lower name of a field in lower case */
export const isAddressField = (lower: string) => isMailboxField(lower) || ['to', 'cc', 'bcc'].includes(lower)

/**
 * The message with encoded words (RFC 2047) for all header text that is not ASCII. In mailboxes, names are encoded and
 * local parts stay, because they have no other form: such a message needs SMTPUTF8 in transit. Expects CRLF lines.
 * Throws RawError for text that is not UTF-8, and for fields where neither form is possible.
 */
export function withEncodedWords(raw: Buffer): Buffer {
  const { fields, end } = readHeader(raw, 0, { strict: true })
  if (!isEightBit(raw.subarray(0, end))) return raw
  const pieces: Uint8Array[] = []
  let from = 0
  for (const field of fields) {
    const octets = raw.subarray(field.start, field.end)
    if (!isEightBit(octets)) continue
    pieces.push(raw.subarray(from, field.start), Buffer.from(encoded(raw, field)))
    from = field.end
  }
  return Buffer.concat([...pieces, raw.subarray(from)])
}

function encoded(raw: Buffer, field: RawField): string {
  const { name, lower, value } = field
  if (isAddressField(lower)) return internationalAddresses(raw, field)
  assertUtf8(raw, field)
  // Parameters of these fields would need another encoding (RFC 2231).
  if (lower.startsWith('content-')) throw new RawError(`The field ${name} has 8-bit characters.`)
  return readable(name, () => customField(name, value))
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
