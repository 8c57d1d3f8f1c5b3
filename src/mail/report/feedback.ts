/** Feedback reports (RFC 5965), and the older form of Hotmail. */
import { fieldValue, type RawField } from '../raw/header.ts'
import { cleanAddress, typedAddress } from './address-text.ts'
import type { Feedback } from './report.ts'

const MAX_ADDRESSES = 100

/**
 * Feedback types that mean that a recipient did not want the mail (RFC 5965 7.3, and `opt-out` of its drafts). Not
 * `auth-failure` (RFC 6591), which is about a forged sender, nor `not-spam`.
 */
const COMPLAINTS = new Set([
  'abuse',
  'fraud',
  'virus',
  'other',
  'opt-out',
  'opt-out-list',
  'unsubscribe',
  'miscategorized',
])

/** True when a text, whatever its media type, holds the fields of a feedback report. */
export function holdsFeedback(text: string): boolean {
  return /^feedback-type[ \t]*:/im.test(text) && /^(?:user-agent|version)[ \t]*:/im.test(text)
}

/** @param text content of a message/feedback-report */
export function readFeedback(text: string): Feedback {
  let type = 'abuse'
  let envelopeId: string | null = null
  let mailFrom: string | null = null
  const addresses = new Set<string>()
  for (const line of text.split(/\r?\n/, 2_000)) {
    const field =
      /^(feedback-type|original-rcpt-to|removal-recipient|original-envelope-id|original-mail-from)[ \t]*:(.*)$/i.exec(
        line,
      )
    if (field === null) continue
    const [name, value] = [field[1]!.toLowerCase(), field[2]!.trim()]
    // A keyword (RFC 5965 3.1), and what some add to it: `Abuse (spam)`.
    if (name === 'feedback-type') type = /^[a-z-]+/i.exec(value)?.[0].toLowerCase() ?? type
    else if (name === 'original-envelope-id') envelopeId = value.slice(0, 200)
    else if (name === 'original-mail-from') mailFrom ??= typedAddress(value)
    else {
      const address = typedAddress(value)
      if (address !== null && addresses.size < MAX_ADDRESSES) addresses.add(address)
    }
  }
  return { type, addresses: [...addresses], messageId: null, envelopeId, mailFrom }
}

export const isComplaint = ({ type }: Feedback) => COMPLAINTS.has(type)

/**
 * Reports of Outlook.com's Junk Mail Reporting Program (JMRP) have no machine-readable part. The mail itself is
 * attached, with a header field that names its recipient.
 */
export function readJunkMailReport(
  fields: readonly RawField[],
  returned: readonly RawField[],
): Feedback | null {
  const recipient = cleanAddress(fieldValue(returned, 'x-hmxmroriginalrecipient'))
  const isFromOutlook =
    /^complaint about message from/i.test(fieldValue(fields, 'subject')) &&
    /@(?:hotmail|outlook|live|msn)\.com\b/i.test(fieldValue(fields, 'from'))
  if (recipient === null && !isFromOutlook) return null
  const addresses = recipient === null ? [] : [recipient]
  return { type: 'abuse', addresses, messageId: null, envelopeId: null, mailFrom: null }
}
