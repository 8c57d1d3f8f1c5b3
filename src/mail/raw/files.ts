/** The files of a ready message: the parts that mail programs show beside its text. */
import { lastComponent } from '../file-name.ts'
import { DEFAULT_MEDIA_TYPE, fileNameFor, parseMediaType } from '../media-type.ts'
import { decodeBody } from './decode.ts'
import { fieldValue, readParameters } from './header.ts'
import { RawError, withCrlfLines } from './lines.ts'
import { readParameter } from './parameter.ts'
import { type RawPart, readStructure } from './structure.ts'

export interface RawFile {
  /** Index among the files of the message, from 0. */
  position: number
  filename: string
  contentType: string
  disposition: 'inline' | 'attachment'
  contentId: string | null
  /** In octets, decoded. */
  size: number
}

/** Bodies that count as the text of the message, unless they have a file name or are marked as attachments. */
const BODIES = new Set(['text/plain', 'text/html', 'text/x-amp-html'])

/** Lists the files in order. Throws RawError for octets that are not structured like a message. */
export function listRawFiles(raw: Uint8Array): RawFile[] {
  const octets = withCrlfLines(raw)
  return [...fileParts(readStructure(octets))].map((part, position) => fileOf(octets, part, position))
}

/** The decoded octets of one file; null when there is none at that position. */
export function readRawFile(raw: Uint8Array, position: number): Buffer | null {
  const octets = withCrlfLines(raw)
  const part = [...fileParts(readStructure(octets))][position]
  return part === undefined ? null : contentOf(octets, part)
}

/** The names that the sender gave to the files of a message, or of the beginning of one. */
export function fileNamesIn(root: RawPart, most = Number.POSITIVE_INFINITY): string[] {
  const names: string[] = []
  for (const part of fileParts(root)) {
    if (names.length >= most) break
    const name = nameOf(part)
    if (name !== undefined) names.push(name)
  }
  return names
}

/** The files of a whole message, for searches. */
export interface RawFileNames {
  /** There are files besides inline pictures. */
  attached: boolean
  /** The first names that its sender gave. */
  names: string[]
}

/** The most files whose names are searched, and the most characters of each name. */
const MAX_NAMES = 20
const LONGEST_NAME = 100

/** `root`: the structure of the whole message. */
export function rawFileNames(root: RawPart): RawFileNames {
  const names = fileNamesIn(root, MAX_NAMES)
  return {
    attached: hasAttachments(root, false),
    names: names.map((name) => name.slice(0, LONGEST_NAME).toWellFormed()),
  }
}

/** Whether a message has files besides inline pictures. `clipped`: it goes on behind what was read. */
export function hasAttachments(root: RawPart, clipped: boolean): boolean {
  // In a multipart/mixed, files may follow what was read (RFC 2046 5.1.3).
  if (clipped && root.type === 'multipart/mixed') return true
  for (const part of fileParts(root)) {
    if (dispositionOf(part, contentIdOf(part)) === 'attachment') return true
  }
  return false
}

/** Depth first, in reading order. A message within the message is one file, whatever its content. */
function* fileParts(root: RawPart): Generator<RawPart, undefined> {
  const waiting = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) waiting.push(...part.children.toReversed())
    else if (!BODIES.has(part.type) || part.disposition === 'attachment' || nameOf(part) !== undefined) {
      yield part
    }
  }
}

function fileOf(octets: Buffer, part: RawPart, position: number): RawFile {
  const { type, parameters } = part
  const contentType = parseMediaType(type) === null ? DEFAULT_MEDIA_TYPE : type
  const charset = parameters.get('charset') ?? ''
  const isText = contentType.startsWith('text/') && /^[\w.:-]{1,40}$/.test(charset)
  const contentId = contentIdOf(part)
  return {
    position,
    filename: nameOf(part) ?? fileNameFor(position, contentType),
    contentType: isText ? `${contentType}; charset=${charset}` : contentType,
    disposition: dispositionOf(part, contentId),
    contentId,
    size: contentOf(octets, part).length,
  }
}

function contentIdOf({ fields }: RawPart): string | null {
  return /^\s*<([^<>]+)>/.exec(fieldValue(fields, 'content-id'))?.[1] ?? null
}

function dispositionOf({ disposition }: RawPart, contentId: string | null): RawFile['disposition'] {
  return disposition === 'inline' || (disposition === '' && contentId !== null) ? 'inline' : 'attachment'
}

/** Content in an unknown encoding is returned undecoded. */
function contentOf(octets: Buffer, part: RawPart): Buffer {
  try {
    return decodeBody(octets, part)
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    return octets.subarray(part.bodyStart, part.bodyEnd)
  }
}

/** The file name in Content-Disposition (RFC 2183 2.3), otherwise in Content-Type, where older programs put it. */
function nameOf({ fields, parameters }: RawPart): string | undefined {
  const disposition = fieldValue(fields, 'content-disposition')
  const given =
    readParameter(readParameters(disposition).parameters, 'filename') ?? readParameter(parameters, 'name')
  const name = lastComponent(given ?? '')
  return name === '' ? undefined : name
}
