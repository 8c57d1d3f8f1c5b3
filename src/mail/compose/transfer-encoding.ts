/** Content transfer encodings (RFC 2045 6): they fit bodies into CRLF lines that every server leaves alone. */

import { isAscii } from 'node:buffer'
import { LARGE_TEXT } from '../large-text.ts'

type TransferEncoding = '7bit' | 'quoted-printable' | 'base64'

interface EncodedBody {
  encoding: TransferEncoding
  /** ASCII: one character per octet. */
  body: string
}

/**
 * The longest line, in octets. RFC 5322 2.1.1 allows 998, but Haraka and Sendmail cut at 990 (with CRLF, and a dot that
 * was doubled), which breaks the signature.
 */
const MAX_LINE = 985
/** RFC 2045 6.7(5), 6.8: encoded lines have at most 76 characters; 57 octets are 76 in base64. */
const LINE = 76
const LINE_OCTETS = 57

/** Octets by which a quoted-printable text may be longer than base64: short texts stay readable. */
const READABLE = 64

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const TAB = 0x09
const EQUALS = 0x3d

/**
 * Encodes text as UTF-8 with CRLF line breaks: `7bit` when it is ASCII in lines that fit, otherwise the shorter of
 * quoted-printable and base64 (readability may cost up to 64 octets). Bare CR and bare LF are line breaks: left as they
 * are, they could end the message early for a server that takes them for line ends (SMTP smuggling, RFC 5321 2.3.8 and
 * 4.1.1.4).
 */
export function encodeText(text: string): EncodedBody {
  return text.length < LARGE_TEXT ? encodeSmall(text) : encodeLarge(text)
}

function encodeSmall(text: string): EncodedBody {
  const ascii = Buffer.byteLength(text) === text.length
  const lines = withCrlf(text)
  if (ascii && !text.includes('\0') && linesFit(lines)) return { encoding: '7bit', body: lines }
  const octets = Buffer.from(lines, 'utf8')
  // A character of two or three octets adds one or two to the length in UTF-16; each of its octets is escaped.
  return encodeOctets(octets, (octets.length - lines.length) * 1.5)
}

/** As `encodeSmall`, on octets outside the heap. */
function encodeLarge(text: string): EncodedBody {
  const octets = crlfOctets(Buffer.from(text, 'utf8'))
  const ascii = isAscii(octets)
  if (ascii && !octets.includes(0) && linesFit(octets)) {
    return { encoding: '7bit', body: octets.toString('latin1') }
  }
  // Each octet of a character that is not ASCII is escaped.
  let escaped = 0
  if (!ascii) for (let at = 0; at < octets.length; at++) if (octets[at]! > 0x7f) escaped++
  return encodeOctets(octets, escaped)
}

/** `escaped`: a lower bound for the escaped octets, each of which takes two more. */
function encodeOctets(octets: Buffer, escaped: number): EncodedBody {
  const base64 = base64Length(octets.length)
  if (octets.length + 2 * escaped <= base64 + READABLE) {
    const body = quotedPrintable(octets)
    if (body.length <= base64 + READABLE)
      return { encoding: 'quoted-printable', body: body.toString('latin1') }
  }
  const body = Buffer.allocUnsafe(base64)
  writeBase64(octets, body, 0)
  return { encoding: 'base64', body: body.toString('latin1') }
}

/** Turns every CR, LF and CRLF into CRLF, on octets. */
function crlfOctets(octets: Buffer): Buffer {
  let breaks = 0
  let crlf = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet > CR) continue
    if (octet === CR) {
      breaks++
      if (octets[at + 1] === LF) crlf++
    } else if (octet === LF && octets[at - 1] !== CR) breaks++
  }
  if (breaks === crlf) return octets
  const out = Buffer.allocUnsafeSlow(octets.length + breaks - crlf)
  let length = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet !== CR && octet !== LF) {
      out[length++] = octet
      continue
    }
    if (octet === CR && octets[at + 1] === LF) at++
    out[length++] = CR
    out[length++] = LF
  }
  return out
}

/** Turns every CR, LF and CRLF into CRLF. */
export function withCrlf(text: string): string {
  // A pattern of one character is replaced in one go; `replaceAll` would join the lines one by one.
  if (!text.includes('\r')) return text.replace(/\n/g, '\r\n')
  return text.replace(/\r\n?|\n/g, '\r\n')
}

/**
 * The content in CRLF lines if it may be sent as `7bit` (RFC 2045 2.7: ASCII, no NUL, lines that no server cuts),
 * otherwise null.
 */
export function asSevenBit(content: Uint8Array): string | null {
  for (const octet of content) if (octet === 0 || octet > 127) return null
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const body = withCrlf(view.toString('latin1'))
  return linesFit(body) ? body : null
}

function linesFit(body: string | Buffer): boolean {
  let start = 0
  while (body.length - start > MAX_LINE) {
    const end = body.lastIndexOf('\n', start + MAX_LINE + 1)
    if (end < start) return false
    start = end + 1
  }
  return true
}

/** The treatment of each octet in quoted-printable (RFC 2045 6.7). */
const LITERAL = 0
const ESCAPED = 1
const WHITE_SPACE = 2
const LINE_BREAK = 3

const ACTION = new Uint8Array(256).fill(ESCAPED)
for (let octet = SPACE; octet < 0x7f; octet++) ACTION[octet] = LITERAL
ACTION[EQUALS] = ESCAPED
ACTION[SPACE] = ACTION[TAB] = WHITE_SPACE
ACTION[CR] = LINE_BREAK

const HEX = Buffer.from('0123456789ABCDEF', 'latin1')

/** RFC 2045 6.7 for text in CRLF lines. */
function quotedPrintable(octets: Buffer): Buffer {
  const { length } = octets
  // Upper bound: every octet escaped, and a soft break (3) at the latest every 73 columns.
  const out = Buffer.allocUnsafe(length * 3 + Math.ceil((length * 3) / 73) * 3)
  let size = 0
  let column = 0
  for (let at = 0; at < length; at++) {
    const octet = octets[at]!
    let action = ACTION[octet]!
    if (action === WHITE_SPACE) {
      // Rule 3: servers may strip white space before a line break.
      action = at + 1 === length || octets[at + 1] === CR ? ESCAPED : LITERAL
    }
    if (action === LINE_BREAK) {
      out[size++] = CR
      out[size++] = LF
      at++
      column = 0
      continue
    }
    const width = action === LITERAL ? 1 : 3
    if (column + width > LINE - 1) {
      out[size++] = EQUALS
      out[size++] = CR
      out[size++] = LF
      column = 0
    }
    if (action === LITERAL) out[size++] = octet
    else {
      out[size++] = EQUALS
      out[size++] = HEX[octet >> 4]!
      out[size++] = HEX[octet & 15]!
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

/** Lines that are encoded together: enough to be quick, few enough to stay in the processor's cache. */
const STRETCH = 256

/** Writes content as base64 in lines of 76 characters with CRLF between them; returns the position after it. */
export function writeBase64(content: Uint8Array, out: Buffer, from: number): number {
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  let to = from
  for (let at = 0; at < view.length; at += STRETCH * LINE_OCTETS) {
    if (at > 0) to = writeLineBreak(out, to)
    const text = view.toString('base64', at, at + STRETCH * LINE_OCTETS)
    const breaks = Math.ceil(text.length / LINE) - 1
    // The text is written without line breaks first, far enough back that each line can move to its place without
    // overwriting another.
    let line = to + 2 * breaks
    out.write(text, line, 'latin1')
    for (let index = 0; index < breaks; index++) {
      out.copyWithin(to, line, line + LINE)
      line += LINE
      to = writeLineBreak(out, to + LINE)
    }
    to += text.length - breaks * LINE
  }
  return to
}

function writeLineBreak(out: Buffer, at: number): number {
  out[at] = CR
  out[at + 1] = LF
  return at + 2
}
