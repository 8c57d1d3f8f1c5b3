/** `application/x-www-form-urlencoded` (WHATWG URL 5.1), strict about what cannot be decoded. */
import { isUtf8 } from 'node:buffer'
import { clip, Fault } from '../fault.ts'
import type { Form } from './form.ts'

const AMPERSAND = 0x26
const EQUALS = 0x3d

/**
 * Throws a Fault for an escape that is none, for text that is not in the charset, and for more than `maxFields` fields.
 * `contentType`: of the request; its charset is that of names and values, UTF-8 where it names none.
 */
export function readUrlencoded(body: Buffer, maxFields: number, contentType = ''): Form {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  const decode = /^(?:utf-?8|us-ascii|ascii)$/i.test(charset) ? decodeUtf8 : decoderOf(charset)
  const fields: [string, string][] = []
  let start = 0
  while (start < body.length) {
    let end = body.indexOf(AMPERSAND, start)
    if (end < 0) end = body.length
    if (end > start) {
      if (fields.length === maxFields) {
        throw new Fault({ code: 'request_invalid', detail: `Too many form fields, max is ${maxFields}` })
      }
      const pair = body.subarray(start, end)
      const equals = pair.indexOf(EQUALS)
      const name = decode(equals < 0 ? pair : pair.subarray(0, equals), 'name')
      fields.push([name, equals < 0 ? '' : decode(pair.subarray(equals + 1), name)])
    }
    start = end + 1
  }
  return { fields, files: [] }
}

function decodeUtf8(octets: Buffer, name: string): string {
  if (!isUtf8(octets)) throw notText(name, 'UTF-8')
  const text = spaced(octets.toString('utf8'))
  if (!text.includes('%')) return text
  assertEscapes(text)
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // The escapes are whole, so it is what they stand for.
    throw notText(name, 'UTF-8', error)
  }
}

function decoderOf(charset: string): (octets: Buffer, name: string) => string {
  return (octets, name) => {
    const text = spaced(octets.toString('latin1'))
    assertEscapes(text)
    const plain = text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    try {
      return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(Buffer.from(plain, 'latin1'))
    } catch (error) {
      throw notText(name, charset, error)
    }
  }
}

function spaced(text: string): string {
  return text.includes('+') ? text.replaceAll('+', ' ') : text
}

function assertEscapes(text: string): void {
  if (!/%(?![0-9a-f]{2})/i.test(text)) return
  throw new Fault({ code: 'body_malformed', detail: 'unable to parse request: invalid URL escape' })
}

/** Nothing is replaced silently. */
function notText(name: string, charset: string, cause?: unknown): Fault {
  const detail =
    `The value of ${clip(name)} is not text in ${clip(charset)}; ` +
    'send UTF-8, or name the charset in the Content-Type'
  return new Fault({ code: 'request_invalid', detail }, cause === undefined ? undefined : { cause })
}
