/**
 * The head of one part of a multipart form (RFC 7578 4). An unreadable head is refused, so that no part is silently
 * dropped.
 */
import { isUtf8 } from 'node:buffer'

export interface PartHead {
  name: string
  /** As sent; undefined when there is none, which makes the part a field. */
  filename: string | undefined
  contentType: string | undefined
}

/** RFC 7578 4.7 deprecates the header field; these three encodings leave the octets unchanged. */
const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary'])

const PARAMETER = /^[ \t]*;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/

/** The whole head of nearly every field: ASCII only, and without escapes. */
const FIELD = /^content-disposition: form-data; name="([ !#-[\]-~]*)"$/i

/** Throws an Error with a sentence about the fault. `head`: the lines, without the empty one after them. */
export function readPartHead(head: Buffer): PartHead {
  // Names are plain UTF-8 in practice (RFC 7578 5.1); anything else is read as Latin-1.
  const text = head.toString(isUtf8(head) ? 'utf8' : 'latin1')
  const field = FIELD.exec(text)
  if (field !== null) return { name: field[1]!, filename: undefined, contentType: undefined }
  let disposition: string | undefined
  let contentType: string | undefined
  for (const line of text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error('a header line has no colon')
    const value = line.slice(colon + 1).trim()
    switch (line.slice(0, colon).trim().toLowerCase()) {
      case 'content-disposition':
        disposition = value
        break
      case 'content-type':
        contentType = value === '' ? undefined : value
        break
      case 'content-transfer-encoding':
        if (!PLAIN_ENCODINGS.has(value.toLowerCase())) {
          throw new Error('its Content-Transfer-Encoding is not 7bit, 8bit or binary (RFC 7578 4.7)')
        }
    }
  }
  if (disposition === undefined) throw new Error('it has no Content-Disposition')
  const parameters = readDisposition(disposition)
  const name = parameters.get('name')
  if (name === undefined) throw new Error('its Content-Disposition has no name')
  return { name, filename: parameters.get('filename'), contentType }
}

/** Parameters by lower-case name. The extended form `name*` (RFC 5987) takes precedence over the plain one. */
function readDisposition(disposition: string): Map<string, string> {
  const type = /^[^\s;]*/.exec(disposition)![0]
  if (type.toLowerCase() !== 'form-data') throw new Error('its Content-Disposition is not form-data')
  const plain = new Map<string, string>()
  const extended = new Map<string, string>()
  let rest = disposition.slice(type.length)
  while (!/^[ \t;]*$/.test(rest)) {
    const match = PARAMETER.exec(rest)
    if (!match) throw new Error('its Content-Disposition cannot be read')
    const name = match[1]!.toLowerCase()
    // Unescapes only the two characters that must be escaped: Windows file names are full of other backslashes.
    const value = match[2]?.replace(/\\(["\\])/g, '$1') ?? match[3]!
    if (name.endsWith('*')) extended.set(name.slice(0, -1), readExtended(value))
    else plain.set(name, value)
    rest = rest.slice(match[0].length)
  }
  return new Map([...plain, ...extended])
}

/** RFC 5987 3.2: charset, language and percent-encoded octets. */
function readExtended(value: string): string {
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value)
  if (!match) throw new Error('an extended parameter of its Content-Disposition cannot be read (RFC 5987)')
  const octets = Buffer.from(
    match[2]!.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  if (match[1]!.toLowerCase() === 'iso-8859-1') return octets.toString('latin1')
  if (!isUtf8(octets)) throw new Error('its file name is not UTF-8')
  return octets.toString('utf8')
}
