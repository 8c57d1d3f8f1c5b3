/**
 * The mail whose signatures are verified. A verifier that reads a header in another way than we do would let the
 * signature of one author prove the report of another, and a header without bounds would keep it busy for seconds.
 */
import { type RawField, readHeader } from '../mail/raw/header.ts'
import { assertHeaderLines, RawError, withCrBeforeLf } from '../mail/raw/lines.ts'
import { withoutEnvelopeLine } from '../mail/raw/raw.ts'

/**
 * Octets and lines of a header: a report that passed many servers has some ten thousand octets in some hundred lines.
 */
const MAX_HEADER = 64 * 1024
const MAX_LINES = 1_000
/** Octets of a field that the verifier reads word by word. */
const MAX_FIELD = 4 * 1024
const READ_BY_WORD = new Set(['from', 'content-type', 'dkim-signature'])
/** Servers on the way write these, so signers leave them out (RFC 6376 5.4, RFC 8617 4.1). */
const LEFT_OUT = /^(?:arc-.*|return-path)$/

/**
 * The fields of the header; null when nothing can be proven with it: a line is no field (RFC 5322 2.2), it does not
 * have exactly one From (3.6), or it is larger than that of any report.
 * @param octets with CRLF lines
 */
export function signedFields(octets: Buffer): RawField[] | null {
  const end = octets.indexOf('\r\n\r\n', 0, 'latin1')
  if (end < 0 || end > MAX_HEADER) return null
  const header = octets.subarray(0, end + 2)
  if (lineCount(header) > MAX_LINES) return null
  try {
    assertHeaderLines(header)
    const { fields } = readHeader(header, 0, { strict: true })
    const authors = fields.filter(({ lower }) => lower === 'from').length
    const long = fields.some((field) => READ_BY_WORD.has(field.lower) && field.end - field.start > MAX_FIELD)
    return authors === 1 && !long ? fields : null
  } catch (error) {
    if (error instanceof RawError) return null
    throw error
  }
}

/** The octets for the verifier; null when nothing can be proven with them. */
export function signedMail(raw: Uint8Array): Buffer | null {
  const octets = withCrBeforeLf(withoutEnvelopeLine(raw))
  const fields = signedFields(octets)
  if (fields === null) return null
  const kept = fields.filter(({ lower }) => !LEFT_OUT.test(lower))
  const body = octets.subarray(fields.at(-1)!.end)
  return Buffer.concat([...kept.map(({ start, end }) => octets.subarray(start, end)), body])
}

function lineCount(header: Buffer): number {
  let lines = 0
  for (let at = header.indexOf(0x0a); at >= 0; at = header.indexOf(0x0a, at + 1)) lines++
  return lines
}
