/** The Content-Type and Content-Encoding of a request. */
import { clip } from '../common/clip.ts'
import { Fault } from '../ingress/fault.ts'

/** ASCII is a subset of UTF-8. */
export const UTF8 = /^(?:utf-?8|us-ascii|ascii)$/i

/** Type and subtype in lower case, without parameters; '' when there is none. */
export function mediaTypeName(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** The charset as written, possibly ''; undefined when there is none. */
export function charsetOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined) return undefined
  return /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1]
}

/** Throws unless the header says JSON in UTF-8 (RFC 8259 11 defines no charset, but clients send one). */
export function checkJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  if (mediaTypeName(contentType) !== 'application/json') {
    throw new Fault({
      code: 'media_type_unsupported',
      detail:
        contentType === undefined
          ? 'The Content-Type header is missing; it must be `application/json`.'
          : `The Content-Type must be \`application/json\`, not \`${clip(contentType)}\`.`,
    })
  }
  const charset = charsetOf(contentType)
  if (charset !== undefined && !UTF8.test(charset)) {
    throw new Fault({
      code: 'media_type_unsupported',
      detail: `The charset must be UTF-8, not \`${clip(charset)}\`.`,
    })
  }
}

/** Throws for a compressed body: a small one could unpack to any size. */
export function checkNotEncoded(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding === '' || contentEncoding.toLowerCase() === 'identity')
    return
  throw new Fault({
    code: 'media_type_unsupported',
    detail: `The Content-Encoding \`${clip(contentEncoding)}\` is not supported; send the body without a content coding.`,
  })
}
