/** Finds the identifiers of an email in its header, which came back with a report. */
import { fieldValue, type RawField, readHeader } from '../raw/header.ts'
import { addressIn } from './address-text.ts'
import { messageIdIn } from './message-id-text.ts'
import type { NamedEnvelope, ReturnedEmail } from './report.ts'

export const headerOf = (returned: Buffer | null): readonly RawField[] =>
  returned === null ? [] : readHeader(returned, 0, { strict: false }).fields

/**
 * @param fields of the report, which names the email it answers in In-Reply-To (RFC 5322 3.6.4, RFC 3834 3.1.5); empty
 *   when they must not name it
 * @param returned of the returned email
 * @param envelope as the fields for programs name it
 */
export function returnedEmail(
  fields: readonly RawField[],
  returned: readonly RawField[],
  { messageId, envelopeId, mailFrom }: NamedEnvelope,
): ReturnedEmail {
  return {
    messageId:
      messageIdIn(fieldValue(returned, 'message-id')) ??
      messageId ??
      messageIdIn(fieldValue(fields, 'x-original-message-id')) ??
      messageIdIn(fieldValue(fields, 'in-reply-to')) ??
      messageIdIn(fieldValue(fields, 'references')),
    feedbackId: feedbackIdIn(returned),
    from: addressIn(fieldValue(returned, 'from')),
    envelopeId,
    mailFrom: mailFrom ?? addressIn(fieldValue(returned, 'return-path')),
  }
}

/** The second field is for the address of a feedback loop that the email itself names (RFC 9477). */
function feedbackIdIn(returned: readonly RawField[]): string | null {
  const named = fieldValue(returned, 'feedback-id') || fieldValue(returned, 'cfbl-feedback-id')
  return named.slice(0, 500) || null
}

/** The addressees of the returned email, by its header. */
export function addresseesOf(returned: readonly RawField[]): string[] {
  const found = new Set<string>()
  for (const name of ['x-original-to', 'x-envelope-to', 'delivered-to', 'to', 'cc']) {
    for (const { lower, value } of returned) {
      if (lower !== name) continue
      for (const piece of value.slice(0, 20_000).split(',')) {
        const address = addressIn(piece)
        if (address !== null && found.size < 200) found.add(address)
      }
    }
  }
  return [...found]
}
