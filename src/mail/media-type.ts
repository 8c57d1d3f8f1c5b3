/** Media types (RFC 2045 5.1): parses one that a sender names, and derives one from a file name. */
import mime from 'mime'

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream'
/** RFC 2045 5.1 token. */
const TOKEN = /[A-Za-z0-9!#$%&'*+\-.^_`{|}~]+/y
/** Far above every registered type; it has to fit header lines. */
const MAX_LENGTH = 500

export interface MediaType {
  /** Lower-case `type/subtype`. */
  essence: string
  /** Lower-case names, values unquoted, in order. */
  parameters: [name: string, value: string][]
}

/**
 * Parses `type/subtype; name=value; name="value"`. Null for any other text: control characters, non-ASCII, more than
 * 500 characters, anything left over. A trailing semicolon is tolerated.
 */
export function parseMediaType(text: string): MediaType | null {
  if (text.length > MAX_LENGTH || !/^[\t\x20-\x7e]*$/.test(text)) return null
  let at = 0
  const token = (): string | null => {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(text)?.[0] ?? null
    if (found !== null) at += found.length
    return found
  }
  const space = (): void => {
    while (text[at] === ' ' || text[at] === '\t') at++
  }
  space()
  const type = token()
  if (type === null || text[at++] !== '/') return null
  const subtype = token()
  if (subtype === null) return null
  const parameters: [string, string][] = []
  for (;;) {
    space()
    if (at === text.length) break
    if (text[at++] !== ';') return null
    space()
    if (at === text.length) break
    const name = token()
    if (name === null) return null
    space()
    if (text[at++] !== '=') return null
    space()
    const value = text[at] === '"' ? quoted() : token()
    if (value === null) return null
    parameters.push([name.toLowerCase(), value])
  }
  return { essence: `${type}/${subtype}`.toLowerCase(), parameters }

  function quoted(): string | null {
    let value = ''
    for (at++; at < text.length; at++) {
      if (text[at] === '"') {
        at++
        return value
      }
      if (text[at] === '\\') at++
      value += text[at] ?? ''
    }
    return null
  }
}

/** The media type for a file name's extension; `application/octet-stream` when the extension is unknown. */
export function mediaTypeOf(filename: string): string {
  return mime.getType(filename) ?? DEFAULT_MEDIA_TYPE
}

/** Names a file without a name, e.g. `attachment-1.pdf`. `position`: among the files, from 0. */
export function fileNameFor(position: number, mediaType: string): string {
  return `attachment-${position + 1}.${mime.getExtension(mediaType) || 'bin'}`
}

/**
 * True when content of this type may be sent as base64. Not for `multipart/*` and `message/*`: RFC 2045 6.4 allows only
 * identity encodings for them, except for `message/global` (RFC 6532 3.5).
 */
export function allowsBase64(essence: string): boolean {
  return essence === 'message/global' || !(essence.startsWith('multipart/') || essence.startsWith('message/'))
}
