/** Reads a mail that may be a report on an email that was sent: a bounce, a complaint, an automatic reply. */
import { decodeText } from '../raw/decode.ts'
import { fieldValue, type RawField, readParameters } from '../raw/header.ts'
import { type AbuseReport, holdsAbuseFields, readAbuseReport } from './abuse-report.ts'
import { addressIn } from './address-text.ts'
import { type DeliveryStatus, holdsDeliveryStatus, readDeliveryStatus } from './delivery-status.ts'
import { holdsFeedback, isComplaint, readFeedback, readJunkMailReport } from './feedback.ts'
import { senderOf } from './mail-system.ts'
import { type OpenReport, openReport } from './open-report.ts'
import { type Parties, type Prose, readProse } from './prose/read-prose.ts'
import { onlyAddressee, proseKind, proseRecipients } from './prose-recipients.ts'
import type { Feedback, MailReport, NamedEnvelope, ReportedRecipient, ReportKind } from './report.ts'
import { addresseesOf, headerOf, returnedEmail } from './returned-email.ts'
import { statusRecipients } from './status-recipients.ts'

export { READ_LIMIT } from './open-report.ts'

/** How deep reports within reports are read: an inner report is read when the outer one names nobody. */
const MAX_DEPTH = 2

/**
 * Safe for any input: at most READ_LIMIT octets are read, time and memory are linear in them, and nothing throws. A
 * report may be forged.
 */
export function readReport(raw: Uint8Array): MailReport {
  return readOpened(openReport(raw))
}

/** Reads a report that is open already. `depth`: in how many reports it is enclosed. */
export function readOpened(open: OpenReport, depth = 0): MailReport {
  const { fields } = open
  const attached = headerOf(open.returned)
  const subject = decodeText(fieldValue(fields, 'subject').slice(0, 2_000))
  const prose = readProse(subject, open.texts, (text) => partiesOf(fields, returnedHeader(text, attached)))
  const returned = returnedHeader(prose.returned, attached)
  const status = statusOf(open, prose)
  const kind = proseKind(fields, prose, returned, status !== null)
  const feedback = isAboutDelivery(open, prose, kind) ? null : complaintOf(open, attached)
  if (feedback !== null) return feedback

  // In prose, only the returned part names the email: a system that answers a forged bounce quotes it and signs its
  // answer.
  const isProse = status === null && (kind === 'bounce' || kind === 'delay')
  const about = returnedEmail(isProse ? [] : fields, returned, status ?? UNNAMED)
  const named = status === null ? [] : statusRecipients(status.recipients, prose, fields, returned)
  if (named.length > 0) return { kind: kindOf(named), recipients: named, returned: about }

  if (kind === 'none' && isForwarded(open)) {
    const forwarded = innerReport(open, prose, depth)
    if (forwarded !== null) return forwarded
  }
  if (kind !== 'bounce' && kind !== 'delay') return { kind, recipients: [], returned: about }
  const found = proseRecipients(kind, prose, fields)
  if (found.length > 0) return { kind, recipients: found, returned: about }
  const inner = innerReport(open, prose, depth)
  return inner ?? { kind, recipients: onlyAddressee(kind, prose, returned), returned: about }
}

const UNNAMED: NamedEnvelope = { messageId: null, envelopeId: null, mailFrom: null }

/** The header of the returned email: as a part of the report, or within its text. */
function returnedHeader(text: string, attached: readonly RawField[]): readonly RawField[] {
  if (text === '' || attached.length > 0) return attached
  const fields = headerOf(Buffer.from(text))
  return fields.length >= 2 ? fields : []
}

const REPORT_PARTIES = ['from', 'to', 'return-path', 'reply-to', 'x-original-to', 'delivered-to']
const EMAIL_AUTHORS = ['from', 'return-path', 'sender', 'reply-to', 'errors-to']

function partiesOf(fields: readonly RawField[], returned: readonly RawField[]): Parties {
  const values = [
    ...REPORT_PARTIES.map((name) => fieldValue(fields, name)),
    ...EMAIL_AUTHORS.map((name) => fieldValue(returned, name)),
  ]
  const own = values.map(addressIn).filter((each) => each !== null)
  return { own: new Set(own), addressees: new Set(addresseesOf(returned)) }
}

/**
 * Whether a mail is about delivery, even if the email that came back with it is a complaint which a customer forwarded.
 */
function isAboutDelivery({ statuses, reportType }: OpenReport, prose: Prose, kind: ReportKind): boolean {
  if (statuses.length > 0) return true
  return reportType !== 'feedback-report' && prose.opened && (kind === 'bounce' || kind === 'delay')
}

/** Null: the mail is no feedback report. */
function complaintOf(open: OpenReport, attached: readonly RawField[]): MailReport | null {
  const abuse = abuseReportOf(open)
  const returned = attached.length > 0 ? attached : headerOf(abuse?.sample ?? null)
  const feedback = feedbackOf(open, returned, abuse)
  return feedback === null ? null : complaint(returned, feedback)
}

function abuseReportOf(open: OpenReport): AbuseReport | null {
  // Fields in a text count only when the whole reported email is attached: otherwise they may be a quotation.
  const [first = ''] = open.whole ? open.texts : []
  const written = holdsAbuseFields(first) ? [first] : []
  for (const text of [...open.abuseReports, ...written]) {
    const report = readAbuseReport(text, open.whole)
    if (report !== null) return report
  }
  return null
}

function feedbackOf(
  open: OpenReport,
  returned: readonly RawField[],
  abuse: AbuseReport | null,
): Feedback | null {
  // Some servers give the fields the type text/plain.
  const written = open.reportType === 'feedback-report' ? open.texts.filter(holdsFeedback) : []
  const [text] = [...open.feedbacks, ...written]
  if (text === undefined) return abuse ?? readJunkMailReport(open.fields, returned)
  const feedback = readFeedback(text)
  return isComplaint(feedback) ? feedback : (abuse ?? feedback)
}

/**
 * The complaint's own header does not name the email: anybody can answer a mail, name it in the header and quote
 * anything.
 */
function complaint(returned: readonly RawField[], feedback: Feedback): MailReport {
  const about = returnedEmail([], returned, feedback)
  if (!isComplaint(feedback)) return { kind: 'none', recipients: [], returned: about }
  const addressees = addresseesOf(returned)
  const only = addressees.length === 1 ? addressees : []
  const addresses = feedback.addresses.length > 0 ? feedback.addresses : only
  return { kind: 'complaint', recipients: addresses.map(complaining), returned: about }
}

function complaining(address: string): ReportedRecipient {
  return {
    address,
    original: null,
    final: address,
    action: null,
    status: null,
    reply: null,
    message: '',
    permanent: false,
    category: null,
  }
}

/**
 * Some servers write the fields into their text. People who ask about a bounce quote them, so only servers are trusted.
 */
function statusOf(open: OpenReport, prose: Prose): DeliveryStatus | null {
  if (open.statuses.length > 0) return readDeliveryStatus(open.statuses.join('\n\n'))
  const { system, silent, talk } = senderOf(open.fields)
  const trusted = talk ? system && silent : system || silent
  return trusted && holdsDeliveryStatus(prose.said) ? readDeliveryStatus(prose.said) : null
}

function innerReport(open: OpenReport, prose: Prose, depth: number): MailReport | null {
  if (depth >= MAX_DEPTH) return null
  const inner = open.whole ? open.returned : prose.returned === '' ? null : Buffer.from(prose.returned)
  if (inner === null) return null
  const report = readOpened(openReport(inner), depth + 1)
  const fails = report.recipients.length > 0 && (report.kind === 'bounce' || report.kind === 'delay')
  return fails ? { ...report, enclosed: true } : null
}

/**
 * Whether a mail that is no report itself has one attached, with fields for programs (RFC 6522): a person forwarded it.
 */
function isForwarded({ returned, whole }: OpenReport): boolean {
  if (returned === null || !whole) return false
  const { value: type, parameters } = readParameters(fieldValue(headerOf(returned), 'content-type'))
  return type === 'multipart/report' && parameters.get('report-type')?.toLowerCase() === 'delivery-status'
}

function kindOf(recipients: readonly ReportedRecipient[]): ReportKind {
  if (recipients.some(({ action }) => action === 'failed')) return 'bounce'
  return recipients.some(({ action }) => action === 'delayed') ? 'delay' : 'none'
}
