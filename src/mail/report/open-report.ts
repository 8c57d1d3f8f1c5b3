/** Takes a mail apart: what its sender wrote, the fields for programs, and the returned email with it. */
import { decodeBody } from '../raw/decode.ts'
import { type RawField, readHeader } from '../raw/header.ts'
import { RawError, withCrBeforeLf } from '../raw/lines.ts'
import { withoutEnvelopeLine } from '../raw/raw.ts'
import { type RawPart, readStructure } from '../raw/structure.ts'
import { textFromHtml } from '../text/text-from-html.ts'
import { holdsAbuseFields } from './abuse-report.ts'
import { textOf } from './charset.ts'
import { withBoundary } from './lost-boundary.ts'

/** Octets that are read; what follows is part of the returned email, or too long to be read by anybody. */
export const READ_LIMIT = 1024 * 1024
/** Octets of one text, and of all texts. Servers write a page. */
const TEXT_LIMIT = 64 * 1024
const ALL_TEXT_LIMIT = 256 * 1024
/** A mail has one abuse report. A JSON document holds the reported mail, so it may be as long as all that is read. */
const MAX_ABUSE_REPORTS = 2
/** Octets of an abuse report in the older form. */
const MAX_ABUSE_FIELDS = 16 * 1024

export interface OpenReport {
  /** The mail as it arrived, with CRLF lines: it may have been mended before its parts were read. */
  arrived: { octets: Buffer; fields: readonly RawField[]; bodyStart: number }
  fields: readonly RawField[]
  /** Lower-case media type, and the report-type of a multipart/report (RFC 6522). */
  type: string
  reportType: string
  /** The text for people, in order. */
  texts: string[]
  /** Contents of message/delivery-status parts (RFC 3464 2.1) and message/global-delivery-status (RFC 6533 4). */
  statuses: string[]
  /** Contents of message/feedback-report parts (RFC 5965 2). */
  feedbacks: string[]
  /** Contents of JSON parts, which may be abuse reports, and of the second text of older ones. */
  abuseReports: string[]
  /** The returned email, or its header, as octets with CRLF lines. */
  returned: Buffer | null
  /** `returned` is a whole email, which may be a report itself. */
  whole: boolean
}

/** Never throws: what cannot be read as MIME is one text. */
export function openReport(raw: Uint8Array): OpenReport {
  const octets = withCrBeforeLf(withoutEnvelopeLine(raw.subarray(0, READ_LIMIT)))
  const root = structureOf(octets)
  const report: OpenReport = {
    arrived: { octets, fields: root.arrived.fields, bodyStart: root.arrived.bodyStart },
    fields: root.part.fields,
    type: root.part.type,
    reportType: (root.part.parameters.get('report-type') ?? '').toLowerCase(),
    texts: [],
    statuses: [],
    feedbacks: [],
    abuseReports: [],
    returned: null,
    whole: false,
  }
  new PartReader(root.octets, report).read(root.part)
  return report
}

interface PartTree {
  octets: Buffer
  part: RawPart
}

function structureOf(octets: Buffer): PartTree & { arrived: RawPart } {
  const read = attempt(octets)
  return { ...(mended(octets, read) ?? read), arrived: read.part }
}

/** Null: there is nothing to mend. */
function mended(octets: Buffer, read: PartTree): PartTree | null {
  if (read.part.type !== 'text/plain' && read.part.children.length > 0) return null
  // The header may have lost its Content-Type on the way, or name a boundary that the body does not use.
  const bounded = withBoundary(octets, read.part)
  if (bounded === null) return null
  const again = attempt(bounded.octets)
  if (again.part.children.length === 0) return null
  return { octets: again.octets, part: { ...again.part, fields: bounded.fields } }
}

function attempt(octets: Buffer): PartTree {
  try {
    return { octets, part: readStructure(octets) }
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    // More parts or levels than any report has.
    const header = readHeader(octets, 0, { strict: false })
    return {
      octets,
      part: {
        fields: header.fields,
        headerStart: 0,
        headerEnd: header.end,
        bodyStart: Math.min(header.bodyStart, octets.length),
        bodyEnd: octets.length,
        type: 'text/plain',
        parameters: new Map(),
        encoding: '7bit',
        disposition: '',
        children: [],
        preambleEnd: octets.length,
        epilogueStart: octets.length,
      },
    }
  }
}

/** The header of the returned email, or all of it. `message/partial`: Bigfoot. */
const RETURNED = /^(?:message\/(?:rfc822|global|partial|news)|(?:text|message)\/(?:rfc822|global)-headers?)$/

class PartReader {
  readonly #octets: Buffer
  readonly #report: OpenReport
  #room = ALL_TEXT_LIMIT

  constructor(octets: Buffer, report: OpenReport) {
    this.#octets = octets
    this.#report = report
  }

  read(root: RawPart): void {
    const waiting = [root]
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      if (part.type.startsWith('multipart/')) {
        if (part.children.length === 0) this.#text(part, 'text/plain')
        else waiting.push(...chosen(part).toReversed())
      } else this.#take(part)
    }
  }

  #take(part: RawPart): void {
    const report = this.#report
    switch (part.type) {
      case 'message/delivery-status':
      case 'message/global-delivery-status':
        report.statuses.push(this.#decoded(part))
        return
      case 'message/feedback-report':
        report.feedbacks.push(this.#decoded(part))
        return
      case 'application/json':
        if (report.abuseReports.length < MAX_ABUSE_REPORTS)
          report.abuseReports.push(this.#decoded(part, READ_LIMIT))
        return
      case 'text/plain':
      case 'text/html':
        if (this.#takesAbuseReport(part)) return
        // Parts behind the fields for programs are the returned email (RFC 6522 3).
        if (this.#comesAfter() || (part.disposition === 'attachment' && report.texts.length > 0)) {
          this.#comeBack(part, false)
        } else this.#text(part, part.type)
        return
      default:
        if (RETURNED.test(part.type)) this.#comeBack(part, !part.type.includes('header'))
    }
  }

  /** The second part of an older abuse report, which would pass for the header of the email. */
  #takesAbuseReport(part: RawPart): boolean {
    const { abuseReports, texts } = this.#report
    if (this.#comesAfter() || part.type !== 'text/plain' || texts.length !== 1) return false
    if (abuseReports.length >= MAX_ABUSE_REPORTS) return false
    const text = this.#decoded(part, MAX_ABUSE_FIELDS)
    if (!holdsAbuseFields(text)) return false
    abuseReports.push(text)
    return true
  }

  #comesAfter(): boolean {
    return this.#report.statuses.length > 0 || this.#report.feedbacks.length > 0
  }

  #comeBack(part: RawPart, whole: boolean): void {
    const report = this.#report
    if (report.returned !== null) return
    const octets = this.#octetsOf(part)
    // A text that holds no header names no email. A part for headers may hold one field (RFC 9477 3.4).
    if (part.type.startsWith('text/') && !RETURNED.test(part.type) && !isHeader(octets)) return
    report.returned = octets
    report.whole = whole
  }

  #text(part: RawPart, type: string): void {
    const limit = Math.min(TEXT_LIMIT, this.#room)
    if (limit <= 0) return
    const text = textOf(this.#octetsOf(part).subarray(0, limit), part.parameters.get('charset'))
    this.#room -= text.length
    this.#report.texts.push(type === 'text/html' ? textFromHtml(text) : text)
  }

  #decoded(part: RawPart, limit = TEXT_LIMIT): string {
    return textOf(this.#octetsOf(part).subarray(0, limit), part.parameters.get('charset'))
  }

  #octetsOf(part: RawPart): Buffer {
    // Some servers leave the empty line out that ends the header of a part (RFC 2046 5.1).
    const start = part.fields.length === 0 ? part.headerStart : part.bodyStart
    try {
      return decodeBody(this.#octets, { ...part, bodyStart: start })
    } catch (error) {
      if (!(error instanceof RawError)) throw error
      return this.#octets.subarray(start, part.bodyEnd)
    }
  }
}

const isHeader = (octets: Buffer) => readHeader(octets, 0, { strict: false }).fields.length >= 2

/** Of a multipart/alternative (RFC 2046 5.1.4) the plain text, if it has one. */
function chosen(part: RawPart): RawPart[] {
  if (part.type !== 'multipart/alternative') return part.children
  const plain = part.children.find(({ type }) => type === 'text/plain')
  return plain === undefined ? part.children : [plain]
}
