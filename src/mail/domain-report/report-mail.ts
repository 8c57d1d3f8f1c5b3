/** The report that a mail carries as a part. */
import { decodeBody } from '../raw/decode.ts'
import { fieldValue } from '../raw/header.ts'
import { RawError, withCrBeforeLf, withCrlfLines } from '../raw/lines.ts'
import { type RawPart, readStructure } from '../raw/structure.ts'

export type DomainReportKind = 'dmarc' | 'tls'

interface PackedReport {
  kind: DomainReportKind
  /** Still packed: see `unpackReport`. */
  octets: Buffer
}

/** RFC 8460 5.3. */
const TLS_TYPES = new Set(['application/tlsrpt+json', 'application/tlsrpt+gzip'])
/** RFC 7489 7.2.1.1 names `application/gzip` and `text/xml`; reporters use all of these. */
const DMARC_TYPES = new Set([
  'application/gzip',
  'application/x-gzip',
  'application/zip',
  'application/x-zip',
  'application/x-zip-compressed',
  'application/xml',
  'text/xml',
])
const UNKNOWN_TYPE = 'application/octet-stream'

/** Null for mail that carries no report. */
export function reportOfMail(raw: Uint8Array): PackedReport | null {
  try {
    // Some reporters mix line ends. A header field that is split by one can do no harm here.
    const octets = withCrlfLines(withCrBeforeLf(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)))
    const waiting = [readStructure(octets)]
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      // A message in the message is somebody else's.
      if (part.type.startsWith('multipart/')) waiting.push(...part.children.toReversed())
      else {
        const kind = kindOf(part)
        if (kind !== null) return { kind, octets: decodeBody(octets, part) }
      }
    }
    return null
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    return null
  }
}

function kindOf({ type, parameters, fields }: RawPart): DomainReportKind | null {
  if (TLS_TYPES.has(type)) return 'tls'
  const disposition = fieldValue(fields, 'content-disposition')
  const named = `${parameters.get('name') ?? ''} ${disposition}`.toLowerCase()
  if (/\.json(?:\.gz)?\b/.test(named)) return 'tls'
  if (DMARC_TYPES.has(type)) return 'dmarc'
  return type === UNKNOWN_TYPE && /\.(?:xml|zip|gz)\b/.test(named) ? 'dmarc' : null
}
