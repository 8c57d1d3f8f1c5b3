/** Decodes a ready message: bodies (RFC 2045 6) and words in fields (RFC 2047). */
import { excerpt } from '../excerpt.ts'
import { decodeWords, hexPair } from '../header/encoded-word.ts'
import { RawError } from './lines.ts'
import { isIdentity, type RawPart } from './structure.ts'

/** The content of a part. Lenient within an encoding; throws RawError for an unknown one. */
export function decodeBody(octets: Buffer, part: RawPart): Buffer {
  const body = octets.subarray(part.bodyStart, part.bodyEnd)
  if (isIdentity(part.encoding)) return body
  if (part.encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  if (part.encoding === 'quoted-printable') return decodeQuotedPrintable(body)
  throw new RawError(
    `A part of the message has the unknown content transfer encoding "${excerpt(part.encoding)}".`,
  )
}

/** RFC 2045 6.7. Malformed input is taken literally. */
export function decodeQuotedPrintable(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length)
  let length = 0
  for (let index = 0; index < body.length; index++) {
    const octet = body[index]!
    if (octet === 0x3d) {
      const value = hexPair(body, index + 1)
      if (value >= 0) {
        out[length++] = value
        index += 2
        continue
      }
      let end = index + 1
      while (body[end] === 0x20 || body[end] === 0x09) end++
      if (end >= body.length || (body[end] === 0x0d && body[end + 1] === 0x0a)) {
        index = end + 1
        continue
      }
    } else if (octet === 0x0d) {
      // White space at the end of a line was added in transit (rule 3), unless it is escaped.
      for (let end = index; body[end - 1] === 0x20 || body[end - 1] === 0x09; end--) length--
    }
    out[length++] = octet
  }
  return out.subarray(0, length)
}

/** Decodes octets as text. An unknown charset is read as UTF-8; invalid octets show as replacement characters. */
export function decodeCharset(octets: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset?.trim() || 'utf-8').decode(octets)
  } catch {
    return new TextDecoder().decode(octets)
  }
}

/** A field of free text with its encoded words decoded, on one line without control characters. */
export function decodeText(value: string): string {
  return decodeWords(value, 'utf-8').replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]+/g, ' ')
}
