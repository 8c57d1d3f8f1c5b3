/** Re-encodes the content of a part (RFC 2045 6.7 and 6.8). */
import { base64Length, writeBase64 } from '../compose/transfer-encoding.ts'

/** RFC 2045 6.7 rule 5: characters of an encoded line, the `=` of a soft break included. */
const MAX_ENCODED_LINE = 76
const HEX = Buffer.from('0123456789ABCDEF', 'latin1')

/** Encodes content so that any server takes it: quoted-printable where it stays readable, otherwise base64. */
export function encodeContent(content: Buffer, isText: boolean): { encoding: string; body: Buffer } {
  if (isText) {
    let escaped = 0
    for (let index = 0; index < content.length; index++) if (content[index]! > 126) escaped++
    // Readability may cost some octets more than base64 would take.
    if (escaped * 2 <= content.length / 3 + 64)
      return { encoding: 'quoted-printable', body: quotedPrintable(content) }
  }
  const body = Buffer.allocUnsafe(base64Length(content.length))
  return { encoding: 'base64', body: body.subarray(0, writeBase64(content, body, 0)) }
}

/**
 * CRLF is a line break; any other octet that is not plain is escaped. A hyphen at the start of a line is escaped too:
 * after a soft break it could otherwise make a line look like a delimiter of the multipart around it.
 */
function quotedPrintable(content: Buffer): Buffer {
  // Upper bound: three characters for each octet, and a soft break for each line of them.
  const out = Buffer.allocUnsafe(content.length * 3 + Math.ceil(content.length / 24) * 3 + 3)
  let length = 0
  let column = 0
  for (let index = 0; index < content.length; index++) {
    const octet = content[index]!
    if (octet === 0x0d && content[index + 1] === 0x0a) {
      out[length++] = 0x0d
      out[length++] = 0x0a
      index++
      column = 0
      continue
    }
    const lineEnds =
      index + 1 === content.length || (content[index + 1] === 0x0d && content[index + 2] === 0x0a)
    const isSpace = octet === 0x20 || octet === 0x09
    let literal = isSpace ? !lineEnds : octet > 0x20 && octet < 0x7f && octet !== 0x3d
    if (column + (literal ? 1 : 3) > MAX_ENCODED_LINE - 1) {
      out[length++] = 0x3d
      out[length++] = 0x0d
      out[length++] = 0x0a
      column = 0
    }
    if (octet === 0x2d && column === 0) literal = false
    if (literal) {
      out[length++] = octet
      column++
    } else {
      out[length++] = 0x3d
      out[length++] = HEX[octet >> 4]!
      out[length++] = HEX[octet & 15]!
      column += 3
    }
  }
  return out.subarray(0, length)
}
