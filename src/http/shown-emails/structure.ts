/** The structure of a message: its header, its parts, and its signatures. */
import { decodeText } from '../../mail/raw/decode.ts'
import { fieldValue, readParameters } from '../../mail/raw/header.ts'
import { withCrlfLines } from '../../mail/raw/lines.ts'
import { readParameter } from '../../mail/raw/parameter.ts'
import { type RawPart, readStructure } from '../../mail/raw/structure.ts'

/** The most parts, fields and signatures that are shown. */
const MAX_PARTS = 500
const MAX_FIELDS = 500
const MAX_SIGNATURES = 20
/** Characters of a field, and of all fields that are shown. */
const LONGEST_FIELD = 8 * 1024
const MAX_IN_FIELDS = 256 * 1024

interface PartSummary {
  depth: number
  type: string
  encoding: string
  disposition: string
  filename: string
  charset: string
  /** Octets, encoded. */
  size: number
  /** Line, from 1. */
  start: number
}

export interface Signature {
  domain: string
  selector: string
  algorithm: string
  canonicalization: string
  headers: string[]
  tags: [name: string, value: string][]
}

export interface Structure {
  fields: [name: string, value: string][]
  parts: PartSummary[]
  signatures: Signature[]
}

/** Throws RawError when the octets do not have the structure of a message. */
export function structureIn(octets: Buffer): Structure {
  const lines = withCrlfLines(octets)
  const root = readStructure(lines)
  const fields = root.fields.slice(0, MAX_FIELDS)
  return {
    fields: fieldsOf(fields),
    parts: partsIn(lines, root),
    signatures: fields
      .filter(({ lower }) => lower === 'dkim-signature')
      .slice(0, MAX_SIGNATURES)
      .map(({ value }) => signatureOf(value.slice(0, LONGEST_FIELD))),
  }
}

/** The first fields, as many as fit. */
function fieldsOf(fields: readonly RawPart['fields'][number][]): [name: string, value: string][] {
  let left = MAX_IN_FIELDS
  return fields.flatMap(({ name, value }) => {
    const shown = value.slice(0, LONGEST_FIELD)
    left -= name.length + shown.length
    return left < 0 ? [] : [[name.slice(0, LONGEST_FIELD), shown]]
  })
}

/** In reading order. */
function partsIn(octets: Buffer, root: RawPart): PartSummary[] {
  const shown: PartSummary[] = []
  const waiting = [{ part: root, depth: 0 }]
  let line = 1
  let at = 0
  for (let next = waiting.pop(); next !== undefined && shown.length < MAX_PARTS; next = waiting.pop()) {
    const { part, depth } = next
    for (; at < part.headerStart; at++) if (octets[at] === 0x0a) line++
    shown.push({ ...partSummary(part), depth, start: line })
    for (const child of part.children.toReversed()) waiting.push({ part: child, depth: depth + 1 })
  }
  return shown
}

function partSummary({ fields, type, parameters, encoding, disposition, bodyStart, bodyEnd }: RawPart) {
  const given = fieldValue(fields, 'content-disposition')
  const filename =
    readParameter(readParameters(given).parameters, 'filename') ?? readParameter(parameters, 'name') ?? ''
  return {
    type: shortened(type),
    encoding: shortened(encoding),
    disposition: shortened(disposition),
    filename: decodeText(filename).slice(0, 255),
    charset: shortened(parameters.get('charset') ?? ''),
    size: Math.max(0, bodyEnd - bodyStart),
  }
}

function shortened(text: string): string {
  return text.slice(0, 100)
}

/** RFC 6376 3.2: `name=value`, separated by semicolons; white space within a value has no meaning. */
function signatureOf(value: string): Signature {
  const tags = value.split(';').flatMap((text): [string, string][] => {
    const equals = text.indexOf('=')
    const name = text.slice(0, Math.max(0, equals)).trim()
    return name === ''
      ? []
      : [
          [
            name,
            text
              .slice(equals + 1)
              .replace(/\s+/g, ' ')
              .trim(),
          ],
        ]
  })
  const tag = (wanted: string) => tags.find(([name]) => name === wanted)?.[1] ?? ''
  return {
    domain: tag('d').toLowerCase(),
    selector: tag('s'),
    algorithm: tag('a'),
    canonicalization: tag('c') || 'simple/simple',
    headers: tag('h')
      .split(':')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    tags,
  }
}
