/** Finds the boundary of a multipart whose header does not name it. */
import type { RawField } from '../raw/header.ts'
import type { RawPart } from '../raw/structure.ts'
import { splitReturned } from './prose/returned-text.ts'

/** Lines that are compared; a report has two or three delimiters near its start. */
const MAX_LINES = 1_000
/** Octets in front of the first delimiter that are read. */
const TEXT_LIMIT = 64 * 1024
const LINE_OF_HYPHENS = Buffer.from('\r\n--')

/**
 * The body as a multipart with a header of its own, when lines of it read like delimiters (RFC 2046 5.1.1): the same
 * line occurs twice, or once and once more as the closing one, and a field of a part follows. Null otherwise, and when
 * it is the boundary of the email that came back.
 */
export function withBoundary(octets: Buffer, root: RawPart): { octets: Buffer; fields: RawField[] } | null {
  const start = root.bodyStart
  const boundary = boundaryIn(octets, start)
  if (boundary === null) return null
  const header = Buffer.from(
    `Content-Type: multipart/mixed; boundary="${boundary.replace(/["\\]/g, '\\$&')}"\r\n\r\n`,
  )
  return { octets: Buffer.concat([header, octets.subarray(start)]), fields: root.fields }
}

function boundaryIn(octets: Buffer, start: number): string | null {
  const seen = new Map<string, { at: number; count: number; field: boolean }>()
  // The line end before the body ends the header.
  const first = octets.indexOf(LINE_OF_HYPHENS, Math.max(start - 2, 0))
  for (let at = first, lines = 0; at >= 0 && lines < MAX_LINES; lines++) {
    const found = octets.indexOf('\r\n', at + 2, 'latin1')
    const end = found < 0 ? octets.length : found
    const line = octets.toString('latin1', at + 4, Math.min(end, at + 4 + 200)).trimEnd()
    // A row of hyphens, or a signature's "-- ", is not a delimiter.
    if (line.length >= 5 && /[A-Za-z0-9]/.test(line) && !/\s/.test(line.slice(0, -1))) {
      const closed = line.endsWith('--') ? line.slice(0, -2) : line
      const known = seen.get(closed) ?? { at, count: 0, field: false }
      known.count++
      known.field ||= /^content-[a-z-]{2,30}:/i.test(octets.toString('latin1', end + 2, end + 42))
      seen.set(closed, known)
    }
    at = octets.indexOf(LINE_OF_HYPHENS, Math.max(end, at + 2))
  }
  for (const [line, { at, count, field }] of seen) {
    // A boundary that a header within the body names is that of a returned email.
    const named = octets.subarray(start, at).includes(line, 0, 'latin1')
    if (count >= 2 && field && !named) return returnsEmail(octets, start, at) ? null : line
  }
  return null
}

/** Whether the text before `end` holds a returned email: the parts behind it then belong to that email. */
function returnsEmail(octets: Buffer, start: number, end: number): boolean {
  const text = octets.toString('latin1', start, Math.min(end, start + TEXT_LIMIT))
  return splitReturned(text.split('\r\n')).returned.length > 0
}
