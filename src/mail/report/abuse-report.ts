/**
 * Abuse reports in X-ARF, the format of networks that report on more than mail: a JSON document (versions 1 to 4), and
 * the older text of `Field: value` lines. Those about mail are complaints. RFC 9477 3.4 lets mailbox providers write
 * their feedback in it.
 */
import { parseBoundedJson } from '../bounded-json.ts'
import { withCrBeforeLf } from '../raw/lines.ts'
import { typedAddress } from './address-text.ts'
import { messageIdIn } from './message-id-text.ts'
import { splitReturned } from './prose/returned-text.ts'
import type { Feedback } from './report.ts'

export interface AbuseReport extends Feedback {
  /** The mail that is reported, or its header, with CRLF lines; null: the report holds none. */
  sample: Buffer | null
}

/** Lines of the older text. Reports have about 15. */
const MAX_LINES = 200
const MAX_VALUE = 1_000
const MAX_SAMPLES = 10
const MAX_ADDRESSES = 100

/**
 * True when a text is such a report in its older form, and nothing else: a text that has other lines as well may quote
 * what anybody wrote.
 */
export function holdsAbuseFields(text: string): boolean {
  return fieldsIn(text) !== null
}

/** True when a text may be such a report in JSON. */
export function holdsAbuseDocument(text: string): boolean {
  return text.includes('"ReporterInfo"') || text.includes('"xarf_version"')
}

/**
 * Null: the text is no such report.
 *
 * @param attached a mail is attached: the sample of the older form
 */
export function readAbuseReport(text: string, attached: boolean): AbuseReport | null {
  if (holdsAbuseDocument(text)) return readDocument(text)
  const fields = fieldsIn(text)
  return fields === null ? null : readFields(fields, attached)
}

/** Reports about attacks on servers, and about web pages, are no complaints. */
const NO_COMPLAINT = 'xarf'

/** Report types about mail, whatever the report holds. */
const ABOUT_MAIL = /^(?:spam|bulk[-_ ]?messag|unsolicited)/i
/** Those about what a mail may carry: they are about the mail that the report holds. */
const CARRIED = /^(?:phish|fraud|scam|malware|virus)/i

const isAboutMail = (type: string, holdsMail: boolean) =>
  ABOUT_MAIL.test(type) || (holdsMail && CARRIED.test(type))

/** A line of a YAML document that is no field: empty, its start or end, a comment, or more of the value above. */
const OTHER_LINE = /^(?:[ \t]|-[ \t]|#|(?:---|\.\.\.)?[ \t]*$)/

/** The fields of the older text by their lower-case names; null: the text is no such report, or says more. */
function fieldsIn(text: string): ReadonlyMap<string, string> | null {
  const fields = new Map<string, string>()
  // The email that came back with a report has fields, too.
  for (const line of splitReturned(text.split(/\r?\n/, MAX_LINES)).said) {
    const field = /^([A-Za-z][\w-]{0,60})[ \t]*:(.*)$/.exec(line)
    // Values may stand in quotation marks, as YAML has them.
    if (field !== null) fields.set(field[1]!.toLowerCase(), unquoted(field[2]!.slice(0, MAX_VALUE).trim()))
    else if (!OTHER_LINE.test(line)) return null
  }
  return fields.has('reported-from') && fields.has('report-type') ? fields : null
}

function readFields(fields: ReadonlyMap<string, string>, attached: boolean): AbuseReport {
  const isComplaint = isAboutMail(fields.get('report-type') ?? '', attached)
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
  const isComplaint = report.category === 'messaging' || isAboutMail(type, sample !== null)
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
type DocumentFields = Partial<
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

const isObject = (value: unknown): value is DocumentFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectIn(text: string): DocumentFields | null {
  try {
    const value = parseBoundedJson(text)
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
