/** The body of a message as a tree of MIME parts (RFC 2045, RFC 2046), and its encoding. */
import { isRelaxed } from '../dkim/body-hash.ts'
import { assertHeaderText } from '../header/header.ts'
import { allowsBase64, DEFAULT_MEDIA_TYPE, parseMediaType } from '../media-type.ts'
import type { Attachment } from '../message.ts'
import { encodeParameter, legacyNameParameter, parameterField } from './parameter.ts'
import { asSevenBit, base64Length, encodeText, writeBase64 } from './transfer-encoding.ts'

/** One body of content. Large content is encoded only when it is written to its place. */
interface Leaf {
  kind: 'leaf'
  /** `Content-*` fields. */
  header: string
  /** A string is ASCII, one character per octet; a file's octets are encoded as base64 later. */
  content: string | Uint8Array
}

interface Multipart {
  kind: 'multipart'
  subtype: 'mixed' | 'related' | 'alternative'
  parts: MimePart[]
}

export type MimePart = Leaf | Multipart

/** A text body. */
export function textLeaf(subtype: 'plain' | 'html' | 'x-amp-html', text: string): Leaf {
  const { encoding, body } = encodeText(text)
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`
  return { kind: 'leaf', header, content: body }
}

/**
 * A file. Its name is given in Content-Disposition (RFC 2183, RFC 2231) and, for older clients, in Content-Type.
 * @throws HeaderError for a file name or Content-ID that cannot stand in a header
 */
export function fileLeaf(file: Attachment): Leaf {
  assertHeaderText(file.filename, 'The file name of an attachment')
  let { essence, parameters } = parseMediaType(file.contentType) ?? {
    essence: DEFAULT_MEDIA_TYPE,
    parameters: [],
  }
  let sevenBit: string | null = null
  if (!allowsBase64(essence)) {
    // RFC 2046 5.2.1: a message/rfc822 body is 7bit, 8bit or binary. Every next hop takes 7bit; any other file is sent
    // as application/octet-stream, which loses nothing. A multipart file would need a boundary that we cannot vouch
    // for.
    sevenBit = essence.startsWith('message/') ? asSevenBit(file.content) : null
    if (sevenBit === null) {
      essence = DEFAULT_MEDIA_TYPE
      parameters = []
    }
  }
  const typeParameters = parameters.flatMap(([name, value]) => encodeParameter(name, value))
  if (!parameters.some(([name]) => name === 'name')) typeParameters.push(legacyNameParameter(file.filename))
  let header = parameterField('Content-Type', essence, typeParameters)
  header += `Content-Transfer-Encoding: ${sevenBit === null ? 'base64' : '7bit'}\r\n`
  header += parameterField(
    'Content-Disposition',
    file.disposition,
    encodeParameter('filename', file.filename),
  )
  if (file.contentId) header += `Content-ID: <${contentId(file.contentId)}>\r\n`
  return { kind: 'leaf', header, content: sevenBit ?? file.content }
}

/**
 * A Content-ID is often just a file name. Characters that may not stand between its angle brackets are percent-encoded,
 * as in the `cid:` URL that refers to it (RFC 2392 2).
 */
function contentId(text: string): string {
  assertHeaderText(text, 'The Content-ID of an attachment')
  if (/^[!-;=?-~]+$/.test(text)) return text
  return text.replace(/[^!-;=?-~]/gu, (character) => encodeURIComponent(character))
}

/** Octets of a leaf's body. Exact. */
export function leafSize({ content }: Leaf): number {
  return typeof content === 'string' ? content.length : base64Length(content.length)
}

interface WrittenTree {
  header: string
  body: Buffer
  /**
   * The body is its own canonical form under DKIM's "relaxed" rules (RFC 6376 3.4.4). Also false when that was not
   * checked.
   */
  relaxed: boolean
}

/** The header fields and the octets of a tree. Each multipart gets the boundary with the number of its level. */
export function writeTree(root: MimePart, boundary: string): WrittenTree {
  const chunks: (string | Leaf)[] = []
  let header: string
  // A body that begins and ends with a boundary line has no empty lines at its end.
  let relaxed = root.kind === 'multipart'
  if (root.kind === 'multipart') header = collect(root, 0, boundary, chunks)
  else {
    header = root.header
    chunks.push(root)
    // A message ends with a line break, or the final dot of SMTP would add one after it was signed (RFC 5321 4.1.1.4).
    if (!endsLine(root)) chunks.push('\r\n')
  }
  let size = 0
  for (const chunk of chunks) size += typeof chunk === 'string' ? chunk.length : leafSize(chunk)
  const body = Buffer.allocUnsafe(size)
  let at = 0
  for (const chunk of chunks) {
    if (typeof chunk === 'string') {
      at += body.write(chunk, at, 'latin1')
      continue
    }
    const from = at
    at = writeLeaf(chunk, body, at)
    // base64 holds neither blanks nor empty lines.
    if (relaxed && typeof chunk.content === 'string') relaxed = isRelaxed(body.subarray(from, at))
  }
  return { header, body, relaxed }
}

function writeLeaf({ content }: Leaf, body: Buffer, at: number): number {
  return typeof content === 'string' ? at + body.write(content, at, 'latin1') : writeBase64(content, body, at)
}

/** Appends the body of a part to `chunks` and returns its header fields. Trees are three levels deep at most. */
function collect(part: MimePart, depth: number, boundary: string, chunks: (string | Leaf)[]): string {
  if (part.kind === 'leaf') {
    chunks.push(part)
    return part.header
  }
  const own = `${boundary}_${depth}`
  for (const child of part.parts) {
    const place = chunks.push('') - 1
    chunks[place] = `--${own}\r\n${collect(child, depth + 1, boundary, chunks)}\r\n`
    // RFC 2046 5.1.1: the CRLF before a boundary line belongs to the boundary.
    chunks.push('\r\n')
  }
  chunks.push(`--${own}--\r\n`)
  // RFC 2387 3.1: multipart/related names the type of its root.
  const type = part.subtype === 'related' ? ` type="${rootType(part.parts[0]!)}";` : ''
  return `Content-Type: multipart/${part.subtype};${type}\r\n boundary="${own}"\r\n`
}

function rootType(part: MimePart): string {
  return part.kind === 'multipart' ? `multipart/${part.subtype}` : 'text/html'
}

function endsLine({ content }: Leaf): boolean {
  return typeof content === 'string' && (content === '' || content.endsWith('\n'))
}
