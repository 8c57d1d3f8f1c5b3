/**
 * Abuse reports in X-ARF, the format of networks that report on more than mail: a JSON document (versions 1 to 4), and
 * the older text of `Field: value` lines. Those about mail are complaints. RFC 9477 3.4 lets mailbox providers write
 * their feedback in it.
 */
import { withCrBeforeLf } from '../raw/lines.ts'
import { typedAddress } from './address-text.ts'
import { messageIdIn } from './message-id-text.ts'
import type { Feedback } from './report.ts'

export interface AbuseReport extends Feedback {
  /** The mail that is reported, or its header, with CRLF lines; null: the report holds none. */
  sample: Buffer | null
}

/** Lines of the older text. Reports have about 15. */
const MAX_LINES = 200
const MAX_SAMPLES = 10
const MAX_ADDRESSES = 100

/** True when a text is such a report in its older form. */
export function holdsAbuseFields(text: string): boolean {
  return /^reported-from[ \t]*:/im.test(text) && /^report-type[ \t]*:/im.test(text)
}

/** True when a text may be such a report in JSON. */
export function holdsAbuseDocument(text: string): boolean {
  return text.includes('"ReporterInfo"') || text.includes('"xarf_version"')
}

/**
 * Null: the text is no such report.
 *
 * @param attached a mail is attached, which is the sample of the older form
 */
export function readAbuseReport(text: string, attached: boolean): AbuseReport | null {
  if (holdsAbuseDocument(text)) return readDocument(text)
  return holdsAbuseFields(text) ? readFields(text, attached) : null
}

/** Reports about attacks on servers, and about web pages, are no complaints. */
const NO_COMPLAINT = 'xarf'

/** Report types about mail, whatever the report holds. */
const ABOUT_MAIL = /^(?:spam|bulk[-_ ]?messag|unsolicited)/i

function readFields(text: string, attached: boolean): AbuseReport {
  const fields = new Map<string, string>()
  for (const line of text.split(/\r?\n/, MAX_LINES)) {
    const field = /^([A-Za-z][A-Za-z-]{1,40})[ \t]*:(.{1,1000})$/.exec(line)
    // Values may stand in quotation marks, as YAML has them.
    if (field !== null) fields.set(field[1]!.toLowerCase(), unquoted(field[2]!.trim()))
  }
  const isComplaint = ABOUT_MAIL.test(fields.get('report-type') ?? '') || attached
  const recipient = typedAddress(fields.get('original-rcpt-to') ?? '')
  return {
    type: isComplaint ? 'abuse' : NO_COMPLAINT,
    addresses: recipient === null ? [] : [recipient],
    envelopeId: null,
    mailFrom: typedAddress(fields.get('original-mail-from') ?? ''),
    messageId: null,
    sample: null,
  }
}

const unquoted = (value: string) => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

function readDocument(text: string): AbuseReport | null {
  const document = objectIn(text)
  if (document === null) return null
  // Versions 1 to 3 have an object within; version 4 has none.
  const report = isObject(document.Report) ? document.Report : document
  const sample = sampleIn(report.Samples ?? report.evidence)
  const type = textOf(report.ReportType) || textOf(report.type)
  const isComplaint = report.category === 'messaging' || ABOUT_MAIL.test(type) || sample !== null
  const messageId = textOf(report.message_id)
  return {
    type: isComplaint ? 'abuse' : NO_COMPLAINT,
    addresses: addressesIn(report.SmtpRcptToAddress ?? report.smtp_to),
    envelopeId: null,
    mailFrom: typedAddress(textOf(report.SmtpMailFromAddress) || textOf(report.smtp_from)),
    messageId: messageIdIn(messageId.includes('<') ? messageId : `<${messageId}>`),
    sample,
  }
}

/** The fields that are read, of all versions and of their samples. */
type Fields = Partial<
  Record<
    | ('Report' | 'ReportType' | 'SmtpMailFromAddress' | 'SmtpRcptToAddress' | 'Samples')
    | ('ContentType' | 'Base64Encoded' | 'Payload')
    | (
        | 'category'
        | 'type'
        | 'smtp_from'
        | 'smtp_to'
        | 'message_id'
        | 'evidence'
        | 'content_type'
        | 'payload'
      ),
    unknown
  >
>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 2_000) : '')

function addressesIn(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.slice(0, MAX_ADDRESSES) : [value]
  const found = texts.map((text) => typedAddress(textOf(text))).filter((address) => address !== null)
  return [...new Set(found)]
}

/** The first sample that is a mail. */
function sampleIn(samples: unknown): Buffer | null {
  if (!Array.isArray(samples)) return null
  for (const sample of samples.slice(0, MAX_SAMPLES)) {
    if (!isObject(sample)) continue
    const type = textOf(sample.ContentType) || textOf(sample.content_type)
    const payload = sample.Payload ?? sample.payload
    if (!/^(?:message|text)\/rfc822(?:-headers)?\b/i.test(type) || typeof payload !== 'string') continue
    // Only the older versions have samples that are not in base64, and say so.
    return withCrBeforeLf(Buffer.from(payload, sample.Base64Encoded === false ? 'utf8' : 'base64'))
  }
  return null
}
