/** A file as an answer: whatever its content, it cannot act in the name of this service. */
import type { LongAnswer } from '../answer.ts'

/** Octets that are written at once. */
const SLICE = 64 * 1024

interface AnsweredFile {
  filename: string
  contentType: string
  octets: Uint8Array
  /** True: the browser may show it in place; otherwise it is downloaded. */
  inline?: boolean
}

export function fileAnswer({ filename, contentType, octets, inline = false }: AnsweredFile): LongAnswer {
  return {
    type: /^[\x20-\x7e]+$/.test(contentType) ? contentType : 'application/octet-stream',
    pieces: slices(octets),
    headers: {
      'content-length': String(octets.length),
      'content-disposition': disposition(inline ? 'inline' : 'attachment', filename),
      'content-security-policy': "default-src 'none'; sandbox",
    },
  }
}

export function* slices(octets: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < octets.length; at += SLICE) yield octets.subarray(at, at + SLICE)
}

/** RFC 6266 4.1: the exact name, and an ASCII form for clients that cannot parse it. */
function disposition(type: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  // RFC 8187 3.2.1: encodeURIComponent leaves some characters that must be escaped.
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
