/**
 * `multipart/form-data` (RFC 7578, RFC 2046 5.1) read in pieces of any size. Written here, and not taken from a
 * package, because the one in common use drops a part whose head it cannot read without a word: an attachment would be
 * lost.
 */
import { isUtf8 } from 'node:buffer'
import { clip, Fault } from '../fault.ts'
import { type Form, isFileField } from './form.ts'
import { type PartHead, readPartHead } from './part-head.ts'

const MALFORMED = 'malformed multipart/form-data request'
/** Octets of the head of one part. */
const MAX_HEAD = 16 * 1024

const HEAD_END = Buffer.from('\r\n\r\n')

/** The whole form. Throws a Fault for what cannot be read or is too much. */
export function readMultipart(body: Buffer, contentType: string, maxParts: number): Form {
  const reader = new MultipartReader(boundaryOf(contentType), maxParts)
  reader.push(body)
  return reader.end()
}

function boundaryOf(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]{1,256})"|([^\s;"]{1,256}))\s*(?:;|$)/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) throw malformed('the Content-Type has no boundary')
  return boundary
}

type State =
  /** Before the first delimiter, and inside a part. */
  | 'content'
  /** Just behind a delimiter. */
  | 'delimited'
  | 'head'
  /** Behind the closing delimiter: the rest means nothing. */
  | 'closed'

/** Takes the octets in pieces of any size. Holds back only as much as a delimiter or a head cut in two needs. */
export class MultipartReader {
  readonly #delimiter: Buffer
  readonly #maxParts: number
  readonly #form: Form = { fields: [], files: [] }
  #state: State = 'content'
  #parts = 0
  /** Something of the body was seen. */
  #begun = false
  /** The part being read; null in front of the first. */
  #part: { head: PartHead; chunks: Buffer[] } | null = null
  // A delimiter begins with the line end before it; the first one may stand at the very start.
  #pending: Buffer = Buffer.from('\r\n')

  constructor(boundary: string, maxParts: number) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#maxParts = maxParts
  }

  /** Throws a Fault for what cannot be read or is too much. */
  push(chunk: Buffer): void {
    if (this.#state === 'closed') return
    const begins = this.#begins(chunk)
    const data = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    let at = begins
    for (;;) {
      const next = this.#step(data, at)
      if (next === null) break
      at = next
    }
    this.#pending = data.subarray(this.#heldFrom(data, at))
  }

  /**
   * Nearly every form begins with its delimiter: then nothing of it, which may be large, is copied. Gives how much is
   * read.
   */
  #begins(chunk: Buffer): number {
    const first = this.#delimiter.length - 2
    if (this.#begun || chunk.compare(this.#delimiter, 2, first + 2, 0, Math.min(first, chunk.length)) !== 0) {
      this.#begun = true
      return 0
    }
    this.#begun = true
    this.#state = 'delimited'
    this.#pending = Buffer.alloc(0)
    return first
  }

  /** The form. Throws a Fault when the closing delimiter is missing. */
  end(): Form {
    if (this.#state !== 'closed') throw malformed('it ends before its closing boundary')
    return this.#form
  }

  /** Takes one thing; where it ends, or null when there is not enough of it yet. */
  #step(data: Buffer, at: number): number | null {
    switch (this.#state) {
      case 'content': {
        const found = data.indexOf(this.#delimiter, at)
        if (found < 0) return null
        this.#part?.chunks.push(data.subarray(at, found))
        this.#finishPart()
        this.#state = 'delimited'
        return found + this.#delimiter.length
      }
      case 'delimited': {
        if (data.length < at + 2) return null
        if (data[at] === 0x2d && data[at + 1] === 0x2d) {
          this.#state = 'closed'
          return null
        }
        // RFC 2046 5.1.1 allows blanks between the boundary and the line end.
        let end = at
        while (data[end] === 0x20 || data[end] === 0x09) end++
        if (end - at > MAX_HEAD) throw malformed('the line of a boundary is too long')
        if (data.length < end + 2) return null
        if (data[end] !== 0x0d || data[end + 1] !== 0x0a)
          throw malformed('a boundary is not followed by a line end')
        this.#state = 'head'
        return end
      }
      case 'head': {
        // Begins with the line end of the boundary, so that an empty head is found as well.
        const found = data.indexOf(HEAD_END, at)
        if ((found < 0 ? data.length : found) - at > MAX_HEAD) {
          throw malformed(`the head of part ${this.#parts + 1} is over ${MAX_HEAD} octets`)
        }
        if (found < 0) return null
        this.#beginPart(data.subarray(at + 2, Math.max(at + 2, found)))
        this.#state = 'content'
        return found + HEAD_END.length
      }
      case 'closed':
        return null
    }
  }

  /** From where on the octets must be kept for the next piece; content before that goes to its part. */
  #heldFrom(data: Buffer, at: number): number {
    if (this.#state === 'closed') return data.length
    if (this.#state !== 'content') return at
    const safe = Math.max(at, data.length - this.#delimiter.length + 1)
    if (safe > at) this.#part?.chunks.push(data.subarray(at, safe))
    return safe
  }

  #beginPart(head: Buffer): void {
    this.#parts++
    if (this.#parts > this.#maxParts) {
      throw new Fault({ code: 'request_invalid', detail: `Too many form fields, max is ${this.#maxParts}` })
    }
    try {
      this.#part = { head: readPartHead(head), chunks: [] }
    } catch (error) {
      throw malformed(`part ${this.#parts}: ${error instanceof Error ? error.message : 'unreadable'}`, error)
    }
  }

  #finishPart(): void {
    if (this.#part === null) return
    const { head, chunks } = this.#part
    this.#part = null
    const { name, filename, contentType } = head
    if (filename === undefined && !isFileField(name)) {
      const content = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      this.#form.fields.push([name, decode(content, head)])
    } else {
      this.#form.files.push({ field: name, filename, contentType, content: ownContent(chunks) })
    }
  }
}

/** A file may be kept longer than the octets that arrived around it: it is copied, unless it is most of them. */
function ownContent(chunks: Buffer[]): Buffer {
  const [only] = chunks
  const isMost = chunks.length === 1 && only!.byteLength * 2 > only!.buffer.byteLength
  return isMost ? only! : Buffer.concat(chunks)
}

/** The text of a field: UTF-8 unless the part says otherwise (RFC 7578 5.1.2). Nothing is replaced silently. */
function decode(content: Buffer, { name, contentType }: PartHead): string {
  if (contentType === undefined && isUtf8(content)) return content.toString('utf8')
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset) && isUtf8(content)) return content.toString('utf8')
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(content)
  } catch (error) {
    throw new Fault(
      { code: 'request_invalid', detail: `The value of ${clip(name)} is not text in ${clip(charset)}` },
      { cause: error },
    )
  }
}

function malformed(detail: string, cause?: unknown): Fault {
  return new Fault(
    { code: 'body_malformed', detail: `${MALFORMED}: ${detail}` },
    cause === undefined ? undefined : { cause },
  )
}
