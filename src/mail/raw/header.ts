/** Reads the header of a ready message or of one of its parts: fields with their offsets. */
import { excerpt } from '../excerpt.ts'
import { MAX_HEADER } from '../header/header.ts'
import { RawError } from './lines.ts'

const MAX_FIELDS = 1000

export interface RawField {
  /** As written, without white space before the colon. */
  name: string
  lower: string
  /** Unfolded and trimmed; octets that are not UTF-8 are shown as replacement characters. */
  value: string
  /** Offsets of the field, its last CRLF included. */
  start: number
  end: number
}

export interface RawHeader {
  fields: RawField[]
  /** Offset of the empty line, or of the end when there is none. */
  end: number
  /** Offset of the octets after the empty line. */
  bodyStart: number
}

/**
 * Reads the header that starts at `start` of octets with CRLF lines.
 *
 * `strict` is for the header of the message itself: throws RawError for a line that is not a field, and beyond the
 * limits. Otherwise, in the header of a part, such lines are skipped. `isBoundary` tells, by offset, whether a line
 * ends the part within its header.
 */
export function readHeader(
  octets: Buffer,
  start: number,
  options: { strict: boolean; isBoundary?: (lineStart: number) => boolean },
): RawHeader {
  const { strict, isBoundary } = options
  const fields: RawField[] = []
  let at = start
  let line = 0
  while (at < octets.length) {
    const lineEnd = endOfLine(octets, at)
    if (lineEnd === at) return { fields, end: at, bodyStart: at + 2 }
    if (octets[at] === 0x2d && isBoundary?.(at)) break
    let end = lineEnd
    while (octets[end + 2] === 0x20 || octets[end + 2] === 0x09) end = endOfLine(octets, end + 2)
    line++
    if (end - start > MAX_HEADER) {
      if (strict) throw new RawError(`The header of the message is longer than ${MAX_HEADER} octets.`)
      break
    }
    const field = readField(octets, at, end)
    if (field !== undefined) fields.push(field)
    else if (strict) {
      throw new RawError(
        `Field ${line} of the header is not of the form "Name: value" but "${excerpt(octets.toString('utf8', at, end))}".`,
      )
    }
    if (fields.length > MAX_FIELDS) {
      if (strict) throw new RawError(`The header of the message has more than ${MAX_FIELDS} fields.`)
      break
    }
    at = Math.min(end + 2, octets.length)
  }
  return { fields, end: at, bodyStart: at }
}

function endOfLine(octets: Buffer, from: number): number {
  const end = octets.indexOf('\r\n', from, 'latin1')
  return end < 0 ? octets.length : end
}

function readField(octets: Buffer, start: number, end: number): RawField | undefined {
  const colon = octets.indexOf(0x3a, start)
  if (colon < 0 || colon >= end || colon - start > 200) return undefined
  // White space before the colon is obsolete syntax, which must be accepted (RFC 5322 4.5).
  // RFC 5322 2.2: printable ASCII without the colon.
  const name = /^[!-9;-~]+(?=[ \t]*$)/.exec(octets.toString('latin1', start, colon))?.[0]
  if (name === undefined) return undefined
  const value = octets
    .toString('utf8', colon + 1, end)
    .replaceAll('\r\n', '')
    .trim()
  return { name, lower: name.toLowerCase(), value, start, end: Math.min(end + 2, octets.length) }
}

/** The first field of that name. `name` is lower case. */
export function fieldOf(fields: readonly RawField[], name: string): RawField | undefined {
  return fields.find(({ lower }) => lower === name)
}

/** The value of the first field of that name, or ''. `name` is lower case. */
export const fieldValue = (fields: readonly RawField[], name: string) => fieldOf(fields, name)?.value ?? ''

/** `value; name=value; name="value"` as in Content-Type, read leniently; names in lower case. */
export function readParameters(text: string): { value: string; parameters: Map<string, string> } {
  const pieces: string[] = []
  let piece = ''
  let quoted = false
  let comment = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '\\' && (quoted || comment > 0)) {
      index++
      if (quoted) piece += text[index] ?? ''
    } else if (quoted) {
      if (character === '"') quoted = false
      else piece += character
    } else if (character === '(') comment++
    else if (character === ')' && comment > 0) comment--
    else if (comment > 0) continue
    else if (character === '"') quoted = true
    else if (character === ';') {
      pieces.push(piece)
      piece = ''
    } else piece += character
  }
  pieces.push(piece)
  const parameters = new Map<string, string>()
  for (const parameter of pieces.slice(1)) {
    const equals = parameter.indexOf('=')
    const name = parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    if (name !== '' && !parameters.has(name)) parameters.set(name, parameter.slice(equals + 1).trim())
  }
  return { value: pieces[0]!.trim().toLowerCase(), parameters }
}
