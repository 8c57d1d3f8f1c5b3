/**
 * Reads the body of `POST /emails` into an object. JSON.parse reads a small body; a scanner reads only the known names
 * of a large one.
 */
import { Fault } from '../../ingress/fault.ts'
import { malformed, parseJson, scanJson } from '../../ingress/json-text/parse.ts'
import type { JsonScanner } from '../../ingress/json-text/scanner.ts'
import { unescapedAscii } from '../../ingress/json-text/string.ts'
import { SMALL_BODY } from '../../ingress/reading.ts'
import { decodeBase64 } from './base64.ts'
import { NAMES, NAMES_OF_FILE } from './emails/schemas.ts'

export type JsonBody = Record<string, unknown>

const LONGEST_NAME = Math.max(...[...NAMES, ...NAMES_OF_FILE].map(({ length }) => length))

/** A `content` that could not be decoded. `detail` gives the reason; `text` returns the content if it is a string. */
export class ContentFault {
  readonly detail: string
  readonly text: (() => string) | null
  constructor(detail: string, text: (() => string) | null = null) {
    this.detail = detail
    this.text = text
  }
}

export const NOT_BASE64 =
  '`content` is not base64: it must use one alphabet (RFC 4648 4 or 5) in complete groups of four, padded with `=`'
export const NO_CONTENT = '`content` must be base64 text or an array of byte values'
export const notAByte = (position: number) =>
  `\`content\` holds something that is not a byte value (0 to 255) at position ${position}`

/**
 * Throws a Fault when the octets are not a JSON object. In a large body, `content` of an attachment is octets or a
 * ContentFault.
 */
export function parseBody(octets: Buffer): JsonBody {
  const body = octets.length <= SMALL_BODY ? parseJson(octets) : scan(octets)
  if (!isJsonObject(body)) throw malformed('The request body must be a JSON object.')
  return body
}

/**
 * The items of a body that is a JSON array. Throws a Fault when the body is not an array, is empty, or has more than
 * `most` items. A large body is read by the scanner.
 */
export function parseBodies(octets: Buffer, most: number): unknown[] {
  const items = octets.length <= SMALL_BODY ? parseJson(octets) : scanAll(octets, most)
  if (!Array.isArray(items)) throw malformed('The request body must be a JSON array of emails.')
  if (items.length > 0 && items.length <= most) return items
  const count = items.length === 0 ? 'none' : 'more'
  const detail = `A batch has 1 to ${most} emails; there are ${count} in the request body.`
  throw new Fault({ code: 'request_invalid', detail })
}

export function isJsonObject(item: unknown): item is JsonBody {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
}

/** Reads a large body. Values of unknown names are skipped and not built. */
function scan(octets: Buffer): unknown {
  return scanJson(octets, emailOf)
}

/** Reads each item of an array as `scan` does; null when the body is not an array. Stops after `most` + 1 items. */
function scanAll(octets: Buffer, most: number): unknown[] | null {
  return scanJson(octets, (scanner) => {
    if (scanner.kind() !== 'array') {
      scanner.skip()
      return null
    }
    const items: unknown[] = []
    scanner.enter()
    while (scanner.item()) {
      if (items.length > most) scanner.skip()
      else items.push(emailOf(scanner))
    }
    return items
  })
}

/** Null when the value is not an object. */
function emailOf(scanner: JsonScanner): JsonBody | null {
  if (scanner.kind() !== 'object') {
    scanner.skip()
    return null
  }
  return objectOf(scanner, NAMES, (name) =>
    name === 'attachments' && scanner.kind() === 'array' ? files(scanner) : scanner.value(),
  )
}

/** Reads an object. The last value of a repeated name counts, as in JSON.parse. */
function objectOf(
  scanner: JsonScanner,
  names: ReadonlySet<string>,
  read: (name: string) => unknown,
): JsonBody {
  const object: JsonBody = {}
  scanner.enter()
  for (let name = scanner.name(LONGEST_NAME); name !== null; name = scanner.name(LONGEST_NAME)) {
    if (names.has(name)) object[name] = read(name)
    else scanner.skip()
  }
  return object
}

function files(scanner: JsonScanner): unknown[] {
  const list: unknown[] = []
  scanner.enter()
  while (scanner.item()) {
    const isObject = scanner.kind() === 'object'
    list.push(
      isObject
        ? objectOf(scanner, NAMES_OF_FILE, (name) =>
            name === 'content' ? content(scanner) : scanner.value(),
          )
        : scanner.value(),
    )
  }
  return list
}

/** The octets of a file, decoded without strings or number arrays in between. */
function content(scanner: JsonScanner): Uint8Array | ContentFault | null {
  switch (scanner.kind()) {
    case 'string': {
      const { octets, escaped, text } = scanner.textOctets()
      const ascii = escaped ? unescapedAscii(octets) : octets
      return (ascii && decodeBase64(ascii)) ?? new ContentFault(NOT_BASE64, text)
    }
    case 'array':
      return bytesOf(scanner.bytes())
    case 'object': {
      // The JSON.stringify form of a Node.js Buffer.
      const buffer = objectOf(scanner, new Set(['type', 'data']), (name) =>
        name === 'data' && scanner.kind() === 'array' ? bytesOf(scanner.bytes()) : scanner.value(),
      )
      const { type, data } = buffer
      const isData = data instanceof Uint8Array || data instanceof ContentFault
      return type === 'Buffer' && isData ? data : new ContentFault(NO_CONTENT)
    }
    case 'null':
      scanner.skip()
      return null
    default:
      scanner.skip()
      return new ContentFault(NO_CONTENT)
  }
}

function bytesOf(bytes: Uint8Array | number): Uint8Array | ContentFault {
  return typeof bytes === 'number' ? new ContentFault(notAByte(bytes)) : bytes
}
