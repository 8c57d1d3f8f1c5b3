/** The header fields that a DKIM signature covers, and their "relaxed" canonical form (RFC 6376 3.4.2). */

/** One field of the header: bytes as Latin-1, without the CRLF that ends it. */
interface HeaderField {
  /** Lower case. */
  name: string
  /** The whole field, folds included. */
  source: string
}

/**
 * Fields signed once more than they occur, so that adding another one breaks the signature (RFC 6376 5.4 and 8.15).
 * These are the fields a reader sees or that decide how the body is read: a second From or Subject, a Reply-To that was
 * not there, another Content-Type. Each may occur only once (RFC 5322 3.6, RFC 2045 3), so adding one changes what the
 * sender signed; a mailing list that does so rewrites From and Subject anyway and signs for itself.
 */
const OVERSIGNED = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'reply-to',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
]

/**
 * Fields signed as often as they occur: the rest of RFC 6376 5.4.1, the fields of one-click unsubscribing, which
 * receivers honour only under a valid signature (RFC 8058 4), and the fields by which receivers attribute mail. They
 * are not oversigned, because mailing lists and forwarders rightly add List-* and Resent-* fields of their own.
 */
const SIGNED = [
  'sender',
  'in-reply-to',
  'references',
  'resent-date',
  'resent-from',
  'resent-sender',
  'resent-to',
  'resent-cc',
  'resent-message-id',
  'list-id',
  'list-help',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
  'content-id',
  'content-description',
  'auto-submitted',
  'feedback-id',
  // RFC 9477 3.1: a feedback loop that no signature covers is not used.
  'cfbl-address',
  'cfbl-feedback-id',
]

/** Caches field names in lower case by their spelling: nearly all headers use the same few spellings. */
const names = new Map<string, string>()
const NAMES_KEPT = 1_000

/**
 * The lower-case name of a field, which ends at the colon. White space before the colon is obsolete syntax (RFC 5322
 * 4.5).
 */
function nameOf(source: string, colon: number): string {
  const written = source.slice(0, colon)
  let name = names.get(written)
  if (name === undefined) {
    name = written.replace(/[ \t]+/g, '').toLowerCase()
    if (names.size >= NAMES_KEPT) names.clear()
    names.set(written, name)
  }
  return name
}

/** Fields of a header block whose lines end with CRLF; an empty line ends it, if there is one. */
export function headerFields(header: Buffer): HeaderField[] {
  const fields: HeaderField[] = []
  const text = header.toString('latin1')
  let start = 0
  while (start < text.length && !text.startsWith('\r\n', start)) {
    let end = text.indexOf('\r\n', start)
    while (end >= 0 && (text[end + 2] === ' ' || text[end + 2] === '\t')) end = text.indexOf('\r\n', end + 2)
    if (end < 0) end = text.length
    const source = text.slice(start, end)
    const colon = source.indexOf(':')
    if (colon > 0) fields.push({ name: nameOf(source, colon), source })
    start = end + 2
  }
  return fields
}

/**
 * The `h=` list and the bytes (as Latin-1) of those fields in the signed data. Where a field occurs more than once,
 * occurrences are taken from the bottom up (RFC 6376 5.4.2).
 */
export function selectFields(fields: readonly HeaderField[]): { names: string[]; canonical: string } {
  const byName = new Map<string, string[]>()
  for (const { name, source } of fields) {
    const same = byName.get(name)
    if (same === undefined) byName.set(name, [source])
    else same.push(source)
  }
  const names: string[] = []
  let canonical = ''
  const sign = (name: string, extra: boolean) => {
    const sources = byName.get(name) ?? []
    for (let index = sources.length - 1; index >= 0; index--) {
      names.push(name)
      canonical += `${relaxField(sources[index]!)}\r\n`
    }
    // A missing occurrence counts as the empty string (RFC 6376 5.4.2).
    if (extra) names.push(name)
  }
  for (const name of OVERSIGNED) sign(name, true)
  for (const name of SIGNED) sign(name, false)
  return { names, canonical }
}

/**
 * Lower-case name, unfolded value, runs of white space as one space, none at either end. Written without `trim` and
 * `\s`, which would take bytes such as 0xA0 for white space.
 */
export function relaxField(source: string): string {
  const colon = source.indexOf(':')
  let value = source.slice(colon + 1)
  if (value.includes('\r\n') || value.includes('\t') || value.includes('  ')) {
    value = value.replaceAll('\r\n', '').replace(/[ \t]+/g, ' ')
  }
  const from = value.startsWith(' ') ? 1 : 0
  const to = value.length > from && value.endsWith(' ') ? value.length - 1 : value.length
  return `${nameOf(source, colon)}:${value.slice(from, to)}`
}
