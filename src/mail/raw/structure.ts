/** The parts of a ready message (RFC 2046 5.1), found in one pass over its lines. */
import { Delimiters } from './delimiters.ts'
import { fieldOf, fieldValue, type RawField, readHeader, readParameters } from './header.ts'
import { RawError } from './lines.ts'

/** The most levels of nesting; mail programs stay below ten. */
const MAX_DEPTH = 64
const MAX_PARTS = 10_000

export interface RawPart {
  fields: RawField[]
  headerStart: number
  /** Offset of the empty line after the header. */
  headerEnd: number
  bodyStart: number
  /** Without the CRLF that belongs to the delimiter after it. */
  bodyEnd: number
  /** Lower-case media type. When none is named: `text/plain` (RFC 2045 5.2), or `message/rfc822` in a digest. */
  type: string
  parameters: ReadonlyMap<string, string>
  /** Lower-case content transfer encoding; `7bit` when none is named (RFC 2045 6.1). */
  encoding: string
  disposition: string
  /** Parts of a multipart, or the one message in a message/rfc822. */
  children: RawPart[]
  /** For a multipart: end of the text before the first delimiter, and start of the text after the last. */
  preambleEnd: number
  epilogueStart: number
}

/**
 * Parses octets with CRLF lines into a tree of parts. Throws RawError when it has more parts or levels than any mail
 * needs.
 */
export function readStructure(octets: Buffer): RawPart {
  return structureOf(octets).root
}

/** As `readStructure`, with the number of octets compared with delimiters, which tests hold against the size. */
export function structureOf(octets: Buffer): { root: RawPart; steps: number } {
  const reader = new StructureReader(octets)
  const root = reader.readPart()
  return { root, steps: reader.steps }
}

const LINE_OF_HYPHENS = Buffer.from('\r\n--')

interface BoundaryLine {
  /** Index of its multipart among the open parts. */
  level: number
  closes: boolean
  lineStart: number
  nextLine: number
}

class StructureReader {
  readonly #octets: Buffer
  /** From the message down to the current part. */
  readonly #open: RawPart[] = []
  /** Delimiter lines of the open multiparts. */
  readonly #delimiters = new Delimiters()
  #count = 0

  constructor(octets: Buffer) {
    this.#octets = octets
  }

  get steps(): number {
    return this.#delimiters.steps
  }

  readPart(): RawPart {
    const root = this.#begin(0)
    let at = root.bodyStart
    for (;;) {
      const embedded = this.#embedded()
      if (embedded !== undefined) {
        at = embedded.bodyStart
        continue
      }
      const delimiter = this.#nextDelimiter(at)
      if (delimiter === undefined) break
      at = this.#take(delimiter)
    }
    this.#end(0, this.#octets.length)
    return root
  }

  /** The content of a message/rfc822 is read as a message, unless it is encoded (which RFC 2046 5.2.1 forbids). */
  #embedded(): RawPart | undefined {
    const part = this.#open.at(-1)!
    if (part.type !== 'message/rfc822' || part.children.length > 0 || !isIdentity(part.encoding))
      return undefined
    const child = this.#begin(part.bodyStart)
    part.children.push(child)
    return child
  }

  #begin(start: number, defaultType = 'text/plain'): RawPart {
    if (++this.#count > MAX_PARTS) throw new RawError(`The message has more than ${MAX_PARTS} parts.`)
    if (this.#open.length >= MAX_DEPTH) {
      throw new RawError(`The parts of the message are nested more than ${MAX_DEPTH} levels deep.`)
    }
    const header = readHeader(this.#octets, start, {
      strict: false,
      isBoundary: (at) => this.#delimiters.match(this.#octets, at) !== undefined,
    })
    const { value, parameters } = readParameters(fieldValue(header.fields, 'content-type'))
    const part: RawPart = {
      fields: header.fields,
      headerStart: start,
      headerEnd: header.end,
      bodyStart: Math.min(header.bodyStart, this.#octets.length),
      bodyEnd: -1,
      type: value || defaultType,
      parameters,
      encoding: readParameters(fieldOf(header.fields, 'content-transfer-encoding')?.value ?? '7bit').value,
      disposition: readParameters(fieldValue(header.fields, 'content-disposition')).value,
      children: [],
      preambleEnd: -1,
      epilogueStart: -1,
    }
    this.#open.push(part)
    const line = delimiterLine(part)
    if (line !== undefined) this.#delimiters.add(line, this.#open.length - 1)
    return part
  }

  /** The next line at or after `from` that is a delimiter of an open multipart. */
  #nextDelimiter(from: number): BoundaryLine | undefined {
    if (this.#delimiters.size === 0) return undefined
    const octets = this.#octets
    // The CRLF before the delimiter may be that of the empty line after the header.
    let at = octets.indexOf(LINE_OF_HYPHENS, Math.max(from - 2, 0))
    for (; at >= 0; at = octets.indexOf(LINE_OF_HYPHENS, at + 2)) {
      const lineStart = at + 2
      const found = this.#delimiters.match(octets, lineStart)
      if (found === undefined) continue
      const { level, closes, lineEnd } = found
      return { level, closes, lineStart, nextLine: Math.min(lineEnd + 2, octets.length) }
    }
    return undefined
  }

  /** Returns the offset to continue from. */
  #take({ level, closes, lineStart, nextLine }: BoundaryLine): number {
    const multipart = this.#open[level]!
    this.#end(level + 1, lineStart - 2)
    if (multipart.preambleEnd < 0) multipart.preambleEnd = Math.max(lineStart - 2, multipart.bodyStart)
    if (closes) {
      multipart.epilogueStart = nextLine
      this.#forget(level)
      return nextLine
    }
    // RFC 2046 5.1.5.
    const defaultType = multipart.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
    const part = this.#begin(nextLine, defaultType)
    multipart.children.push(part)
    return part.bodyStart
  }

  /** Ends the open parts from that level on. */
  #end(level: number, at: number): void {
    while (this.#open.length > level) {
      this.#forget(this.#open.length - 1)
      const part = this.#open.pop()!
      part.bodyEnd = Math.max(at, part.bodyStart)
      if (part.preambleEnd < 0) part.preambleEnd = part.bodyEnd
      if (part.epilogueStart < 0 || part.epilogueStart > part.bodyEnd) part.epilogueStart = part.bodyEnd
    }
  }

  #forget(level: number): void {
    const line = delimiterLine(this.#open[level]!)
    if (line !== undefined) this.#delimiters.remove(line, level)
  }
}

function delimiterLine(part: RawPart): Buffer | undefined {
  const boundary = part.type.startsWith('multipart/') ? part.parameters.get('boundary') : undefined
  return boundary === undefined || boundary === '' ? undefined : Buffer.from(`--${boundary}`)
}

/** Encodings that change nothing (RFC 2045 6.2). */
export const isIdentity = (encoding: string) =>
  encoding === '7bit' || encoding === '8bit' || encoding === 'binary' || encoding === ''
