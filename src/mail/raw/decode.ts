/** Reading what a ready message encodes: bodies (RFC 2045 6) and words in fields (RFC 2047). */
import { clip } from './header.ts'
import { RawError } from './lines.ts'
import { isIdentity, type RawPart } from './structure.ts'

/** The content of a part. Lenient within an encoding; throws RawError for one that is not known. */
export function decodeBody(octets: Buffer, part: RawPart): Buffer {
  const body = octets.subarray(part.bodyStart, part.bodyEnd)
  if (isIdentity(part.encoding)) return body
  if (part.encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  if (part.encoding === 'quoted-printable') return decodeQuotedPrintable(body)
  throw new RawError(
    `A part of the message has the unknown content transfer encoding "${clip(part.encoding)}".`,
  )
}

/** RFC 2045 6.7. What is not well formed is taken as it stands. */
function decodeQuotedPrintable(body: Buffer): Buffer {
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
      // White space at the end of a line was added on the way (rule 3).
      while (length > 0 && (out[length - 1] === 0x20 || out[length - 1] === 0x09) && !isEscaped(body, index))
        length--
    }
    out[length++] = octet
  }
  return out.subarray(0, length)
}

/** True when what stands before `at` is an escape such as `=20`, which is meant. */
const isEscaped = (body: Buffer, at: number) => at >= 3 && body[at - 3] === 0x3d && hexPair(body, at - 2) >= 0

function hexPair(octets: Buffer, at: number): number {
  const high = hexDigit(octets[at])
  const low = hexDigit(octets[at + 1])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30
  const letter = octet | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Octets as text. An unknown charset is read as UTF-8; what does not fit shows as replacement characters. */
export function decodeCharset(octets: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset?.trim() || 'utf-8').decode(octets)
  } catch {
    return new TextDecoder().decode(octets)
  }
}

const ENCODED_WORD = /=\?([^?\s]{1,60})\?([bq])\?([^?\s]*)\?=/gi

/** A field of free text with its encoded words decoded, on one line without control characters. */
export function decodeText(value: string): string {
  return decodeWords(value, (word) => word)
}

/**
 * An address field with its encoded words decoded, so that it still means the same addresses: a decoded word becomes
 * a quoted string where it could be taken for syntax, as in `=?utf-8?q?Doe=2C_Jane?= <j@x.test>`. Quoted strings and addresses are
 * left alone; nothing is an encoded word there (RFC 2047 5).
 */
export function decodeAddresses(value: string): string {
  let out = ''
  let from = 0
  for (let at = 0; at < value.length; at++) {
    const character = value[at]
    if (character !== '"' && character !== '<') continue
    const end = character === '<' ? value.indexOf('>', at) : closingQuote(value, at)
    out += decodeWords(value.slice(from, at), quoteWord)
    // What never closes is left to the address parser to complain about.
    from = end < 0 ? value.length : end + 1
    out += value.slice(at, from)
    at = from - 1
  }
  return out + decodeWords(value.slice(from), quoteWord)
}

function closingQuote(value: string, open: number): number {
  for (let at = open + 1; at < value.length; at++) {
    if (value[at] === '\\') at++
    else if (value[at] === '"') return at
  }
  return -1
}

function quoteWord(word: string): string {
  if (!/[^A-Za-z0-9 '!#$%&*+/=?^_`{|}~\u00a1-\uffff-]/.test(word)) return word
  return `"${word.replace(/["\\]/g, '\\$&')}"`
}

function decodeWords(value: string, present: (word: string) => string): string {
  let out = ''
  let from = 0
  let octets: Buffer[] = []
  let charset = ''
  const flush = () => {
    if (octets.length > 0)
      out += present(decodeCharset(Buffer.concat(octets), charset).replace(/[\x00-\x1f\x7f-\x9f]+/g, ' '))
    octets = []
  }
  for (const match of value.matchAll(ENCODED_WORD)) {
    const between = value.slice(from, match.index)
    // A language may follow the charset (RFC 2231 5).
    const label = match[1]!.split('*', 1)[0]!.toLowerCase()
    // White space between two encoded words belongs to neither (RFC 2047 6.2). Octets are joined before they are decoded, as
    // some programs split characters between words.
    const adjoining = octets.length > 0 && /^[ \t]*$/.test(between)
    if (!adjoining || label !== charset) {
      const pending = octets.length > 0
      flush()
      if (!adjoining || !pending) out += between
    }
    charset = label
    const encoded = match[3]!
    octets.push(match[2]!.toLowerCase() === 'b' ? Buffer.from(encoded, 'base64') : decodeQ(encoded))
    from = match.index + match[0].length
  }
  flush()
  return (out + value.slice(from)).replace(/[\x00-\x08\x0a-\x1f\x7f]+/g, ' ')
}

function decodeQ(text: string): Buffer {
  const spaced = Buffer.from(text.replaceAll('_', ' '), 'utf8')
  const out: number[] = []
  for (let index = 0; index < spaced.length; index++) {
    const value = spaced[index] === 0x3d ? hexPair(spaced, index + 1) : -1
    out.push(value >= 0 ? value : spaced[index]!)
    if (value >= 0) index += 2
  }
  return Buffer.from(out)
}
