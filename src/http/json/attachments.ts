/** Attachments of the JSON dialect: clients use three encodings of the octets and two spellings of the names. */
import { invalidField, Refusal } from '../../intake/refusal.ts'
import { fileNameOf } from '../../intake/remote-file.ts'
import type { SubmittedAttachment } from '../../intake/submission.ts'
import { fileNameFor } from '../../mail/media-type.ts'
import { NotAUrl, outgoingUrl } from '../../network/outgoing.ts'
import { decodeBase64 } from './base64.ts'
import { ContentFault, isJsonObject, NO_CONTENT, NOT_BASE64, notAByte } from './body.ts'
import type { AttachmentInput } from './emails/schemas.ts'

/** Reads the parsed JSON value. Throws a Refusal that names the index and the fault. */
export function readAttachments(value: unknown): SubmittedAttachment[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidField('attachments', 'it must be an array of objects')
  return value.map((item: unknown, index) => readAttachment(item, index))
}

function readAttachment(item: unknown, index: number): SubmittedAttachment {
  if (!isJsonObject(item)) throw invalid(index, 'it must be an object')
  const url = isPresent(item.path) ? urlOf(item.path, index) : null
  if (url !== null && isPresent(item.content)) {
    throw invalid(index, 'give either `content` or `path`, not both')
  }
  const contentType = text(item, index, 'content_type', 'contentType')
  const filename = nameOf(item.filename, url, index, contentType)
  if (url === null && !isPresent(item.content)) {
    throw invalid(index, '`content` is missing: an attachment must have either a `content` or `path`')
  }
  const contentId = text(item, index, 'content_id', 'contentId', 'inline_content_id', 'inlineContentId')
  return {
    filename,
    ...(url === null
      ? { content: readContent(item.content, index, contentType) }
      : { content: NOTHING_YET, path: url.href }),
    // A content id is only useful for a file that the HTML shows.
    disposition: contentId === undefined ? 'attachment' : 'inline',
    ...(contentType === undefined ? {} : { contentType }),
    ...(contentId === undefined ? {} : { contentId }),
  }
}

const NOTHING_YET = new Uint8Array()

function urlOf(path: unknown, index: number): URL {
  if (typeof path !== 'string') throw invalid(index, '`path` must be a string')
  try {
    return outgoingUrl(path)
  } catch (error) {
    if (!(error instanceof NotAUrl)) throw error
    throw invalid(index, `\`path\` ${error.message}`)
  }
}

/** A fetched file may take its name from the URL. The official client sends `false` for a file without a name. */
function nameOf(filename: unknown, url: URL | null, index: number, contentType: string | undefined): string {
  if (url !== null && (!isPresent(filename) || filename === '' || filename === false)) {
    const named = fileNameOf(url)
    if (named !== '') return named
  }
  if (filename === false) return fileNameFor(index, mediaTypeIn(contentType))
  if (!isPresent(filename)) throw invalid(index, '`filename` is missing')
  if (typeof filename !== 'string') throw invalid(index, '`filename` must be a string')
  if (filename === '') throw invalid(index, '`filename` is empty')
  return filename
}

/**
 * `content`: base64 text, an array of byte values, the JSON.stringify form of a Node.js Buffer, or one of them decoded.
 */
function readContent(content: unknown, index: number, contentType: string | undefined): Uint8Array {
  if (content instanceof Uint8Array) return content
  const isCalendar = mediaTypeIn(contentType) === CALENDAR
  if (content instanceof ContentFault) {
    if (content.text !== null && isCalendar) return readText(content.text(), index)
    throw invalid(index, content.detail)
  }
  if (typeof content === 'string') return readString(content, index, isCalendar)
  if (Array.isArray(content)) return readBytes(content, index)
  if (isJsonObject(content) && content.type === 'Buffer' && Array.isArray(content.data)) {
    return readBytes(content.data, index)
  }
  throw invalid(index, NO_CONTENT)
}

/**
 * Laravel's transport sends a calendar as plain text, and every other file in base64. A calendar begins with `BEGIN:`
 * (RFC 5545 3.4), which is never base64. Other text is ambiguous: eight letters are a word and base64.
 */
const CALENDAR = 'text/calendar'

function mediaTypeIn(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

function readString(content: string, index: number, isCalendar: boolean): Uint8Array {
  // UTF-8 encodes any non-ASCII character as octets that are not base64 digits.
  const octets = decodeBase64(Buffer.from(content))
  if (octets !== null) return octets
  if (isCalendar) return readText(content, index)
  throw invalid(index, NOT_BASE64)
}

function readText(content: string, index: number): Uint8Array {
  if (!content.isWellFormed()) throw invalid(index, '`content` has half of a surrogate pair')
  return new TextEncoder().encode(content)
}

function readBytes(values: unknown[], index: number): Uint8Array {
  const bytes = new Uint8Array(values.length)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (typeof value !== 'number' || (value & 0xff) !== value) throw invalid(index, notAByte(at))
    bytes[at] = value
  }
  return bytes
}

/** The value of the first key that is present. */
function text(item: AttachmentInput, index: number, ...keys: (keyof AttachmentInput)[]): string | undefined {
  for (const key of keys) {
    const value = item[key]
    if (!isPresent(value)) continue
    if (typeof value !== 'string') throw invalid(index, `\`${key}\` must be a string`)
    if (value !== '') return value
  }
  return undefined
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function invalid(index: number, detail: string): Refusal {
  return new Refusal({ code: 'attachment_invalid', index, detail })
}
