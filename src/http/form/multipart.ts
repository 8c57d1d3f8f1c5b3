/**
 * `multipart/form-data` (RFC 7578, RFC 2046 5.1). The common package is not used, because it silently drops a part
 * whose head it cannot read, so that an attachment would be lost.
 */
import { Fault } from '../../ingress/fault.ts'
import { decodeText, type Form, isFileField } from '../../ingress/message-form/form.ts'
import { charsetOf } from '../media-type.ts'
import { type PartHead, readPartHead } from './part-head.ts'

const MALFORMED = 'malformed multipart/form-data request'
/** The most octets of the head of one part. */
const MAX_HEAD = 16 * 1024

const HEAD_END = Buffer.from('\r\n\r\n')

/** Reads the whole form. Throws a Fault when it is malformed or over a limit. */
export function readMultipart(body: Buffer, contentType: string, maxParts: number): Form {
  // A delimiter begins with the preceding line end; the first one may be at the very start.
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, 'latin1')
  const form: Form = { fields: [], files: [] }
  const first = delimiter.subarray(2)
  let at = body.subarray(0, first.length).equals(first) ? first.length : behindDelimiter(body, delimiter, 0)
  for (let part = 1; !isClosing(body, at); part++) {
    const line = behindBlanks(body, at)
    // The head includes the line end of the boundary, so that an empty head is found as well.
    const head = body.subarray(line, line + MAX_HEAD + HEAD_END.length)
    const length = head.indexOf(HEAD_END)
    if (length < 0 && head.length > MAX_HEAD)
      throw malformedFault(`the head of part ${part} is over ${MAX_HEAD} octets`)
    if (length < 0) throw unfinishedFault()
    if (part > maxParts) {
      throw new Fault({ code: 'request_invalid', detail: `Too many form fields, max is ${maxParts}` })
    }
    const start = line + length + HEAD_END.length
    const known = readHead(head.subarray(2, Math.max(2, length)), part)
    at = behindDelimiter(body, delimiter, start)
    add(form, known, body.subarray(start, at - delimiter.length))
  }
  return form
}

function boundaryOf(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]{1,256})"|([^\s;"]{1,256}))\s*(?:;|$)/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) throw malformedFault('the Content-Type has no boundary')
  return boundary
}

function behindDelimiter(body: Buffer, delimiter: Buffer, from: number): number {
  const found = body.indexOf(delimiter, from)
  if (found < 0) throw unfinishedFault()
  return found + delimiter.length
}

/** True at the closing delimiter. Octets after the closing delimiter are ignored. */
function isClosing(body: Buffer, at: number): boolean {
  return body[at] === 0x2d && body[at + 1] === 0x2d
}

/** Skips to the line after a boundary; RFC 2046 5.1.1 allows blanks before the line end. */
function behindBlanks(body: Buffer, at: number): number {
  let end = at
  while (body[end] === 0x20 || body[end] === 0x09) end++
  if (end - at > MAX_HEAD) throw malformedFault('the line of a boundary is too long')
  if (body.length < end + 2) throw unfinishedFault()
  if (body[end] !== 0x0d || body[end + 1] !== 0x0a)
    throw malformedFault('a boundary is not followed by a line end')
  return end
}

function readHead(head: Buffer, part: number): PartHead {
  try {
    return readPartHead(head)
  } catch (error) {
    throw malformedFault(`part ${part}: ${error instanceof Error ? error.message : 'unreadable'}`, error)
  }
}

function add({ fields, files }: Form, { name, filename, contentType }: PartHead, content: Buffer): void {
  if (filename === undefined && !isFileField(name)) {
    // RFC 7578 5.1.2: UTF-8 unless the part states another charset.
    fields.push([name, decodeText(content, charsetOf(contentType) || 'utf-8', name)])
    return
  }
  // A file may outlive the body that contains it, so the file is copied unless it is most of the body.
  const isMost = content.byteLength * 2 > content.buffer.byteLength
  files.push({ field: name, filename, contentType, content: isMost ? content : Buffer.from(content) })
}

function unfinishedFault(): Fault {
  return malformedFault('it ends before its closing boundary')
}

function malformedFault(detail: string, cause?: unknown): Fault {
  return new Fault(
    { code: 'body_malformed', detail: `${MALFORMED}: ${detail}` },
    cause === undefined ? undefined : { cause },
  )
}
