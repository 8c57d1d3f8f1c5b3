/** Content transfer encodings (RFC 2045 6): how bodies fit into CRLF lines of at most 998 octets. */

export type TransferEncoding = '7bit' | 'quoted-printable' | 'base64'

export interface EncodedBody {
  encoding: TransferEncoding
  body: Buffer
}

/** RFC 5322 2.1.1. */
const MAX_LINE = 998
/** RFC 2045 6.7(5), 6.8: encoded lines have at most 76 characters; 57 octets are 76 in base64. */
const LINE = 76
const LINE_OCTETS = 57

/** Octets that a readable quoted-printable text may be longer than base64: short texts stay readable. */
const READABLE = 64

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const TAB = 0x09
const EQUALS = 0x3d

/**
 * Encodes text as UTF-8 with CRLF line breaks: `7bit` when it is ASCII in lines that fit, else whichever of quoted-printable and
 * base64 is shorter (up to 64 octets are given for readability). Bare CR and bare LF are line breaks: left as they are they could end the message early for a server that
 * reads them so (SMTP smuggling, RFC 5321 2.3.8 and 4.1.1.4).
 */
export function encodeText(text: string): EncodedBody {
  const ascii = Buffer.byteLength(text) === text.length
  if (ascii && !text.includes('\0')) {
    const body = Buffer.from(withCrlf(text), 'latin1')
    if (linesFit(body)) return { encoding: '7bit', body }
  }
  const octets = Buffer.from(withCrlf(text), 'utf8')
  const length = quotedPrintableLength(octets)
  const base64 = base64Length(octets.length)
  if (length <= base64 + READABLE)
    return { encoding: 'quoted-printable', body: quotedPrintable(octets, length) }
  const body = Buffer.allocUnsafe(base64)
  writeBase64(octets, body, 0)
  return { encoding: 'base64', body }
}

/** Every CR, LF and CRLF as CRLF. */
export function withCrlf(text: string): string {
  if (!text.includes('\r')) return text.includes('\n') ? text.replaceAll('\n', '\r\n') : text
  return text.replace(/\r\n?|\n/g, '\r\n')
}

/**
 * The content in CRLF lines when it may be sent as `7bit` (RFC 2045 2.7: ASCII, no NUL, lines of at most 998 octets), else null.
 */
export function asSevenBit(content: Uint8Array): Buffer | null {
  for (const octet of content) if (octet === 0 || octet > 127) return null
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const body = Buffer.from(withCrlf(view.toString('latin1')), 'latin1')
  return linesFit(body) ? body : null
}

function linesFit(body: Buffer): boolean {
  let start = 0
  while (body.length - start > MAX_LINE) {
    const end = body.indexOf(LF, start)
    if (end < 0 || end - 1 - start > MAX_LINE) return false
    start = end + 1
  }
  return true
}

/** Octets that quoted-printable writes as `=XX`: all but printable ASCII without `=`, white space and line breaks. */
const ESCAPED = new Uint8Array(256).fill(1)
for (let octet = SPACE; octet < 0x7f; octet++) ESCAPED[octet] = 0
for (const octet of [TAB, CR, LF]) ESCAPED[octet] = 0
ESCAPED[EQUALS] = 1

const HEX = Buffer.from('0123456789ABCDEF', 'latin1')

/** RFC 2045 6.7(3): white space before a line break or the end is encoded, since servers may strip it. */
function endsLine(octets: Uint8Array, at: number): boolean {
  return at + 1 >= octets.length || octets[at + 1] === CR
}

/** Octets of `quotedPrintable` for text in CRLF lines. At most 3 in 73 too high: soft breaks come every 73 to 75 columns. */
function quotedPrintableLength(octets: Uint8Array): number {
  let length = octets.length
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (ESCAPED[octet] === 1 || ((octet === SPACE || octet === TAB) && endsLine(octets, at))) length += 2
  }
  return length + Math.ceil(length / (LINE - 3)) * 3
}

/** RFC 2045 6.7 for text in CRLF lines. */
function quotedPrintable(octets: Uint8Array, length: number): Buffer {
  const out = Buffer.allocUnsafe(length)
  let size = 0
  let column = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet === CR) {
      out[size++] = CR
      out[size++] = LF
      at++
      column = 0
      continue
    }
    const escaped = ESCAPED[octet] === 1 || ((octet === SPACE || octet === TAB) && endsLine(octets, at))
    const width = escaped ? 3 : 1
    if (column + width > LINE - 1) {
      out[size++] = EQUALS
      out[size++] = CR
      out[size++] = LF
      column = 0
    }
    if (escaped) {
      out[size++] = EQUALS
      out[size++] = HEX[octet >> 4]!
      out[size++] = HEX[octet & 15]!
    } else {
      out[size++] = octet
    }
    column += width
  }
  return out.subarray(0, size)
}

/** Octets of `writeBase64` for that many octets of content. Exact. */
export function base64Length(octets: number): number {
  if (octets === 0) return 0
  const characters = Math.ceil(octets / 3) * 4
  return characters + (Math.ceil(characters / LINE) - 1) * 2
}

/** Writes content as base64 in lines of 76 characters with CRLF between them; returns the position behind it. */
export function writeBase64(content: Uint8Array, out: Buffer, from: number): number {
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  let to = from
  for (let at = 0; at < view.length; at += LINE_OCTETS) {
    if (at > 0) {
      out[to++] = CR
      out[to++] = LF
    }
    to += out.write(view.toString('base64', at, Math.min(at + LINE_OCTETS, view.length)), to, 'latin1')
  }
  return to
}
