/** The kind of a report in prose, and its recipients. */
import { fieldValue, type RawField } from '../raw/header.ts'
import { isAutomaticReply } from './automatic-reply.ts'
import { failedRecipients } from './failed-recipients.ts'
import { senderOf } from './mail-system.ts'
import type { Prose } from './prose/read-prose.ts'
import { type QuotedReasons, reportedRecipient } from './quoted-reasons.ts'
import type { ReportedRecipient, ReportKind } from './report.ts'
import { addresseesOf } from './returned-email.ts'
import { Transcript } from './transcript.ts'

/**
 * A person may write about a bounce, and quote one; a report comes from a mail system.
 * @param returned header of the returned email
 * @param status the mail has fields for programs, too
 */
export function proseKind(
  fields: readonly RawField[],
  prose: Prose,
  returned: readonly RawField[],
  status: boolean,
): ReportKind {
  const { system, silent, path, subject, talk } = senderOf(fields)
  const failed = failedRecipients(fields).length > 0
  const names = prose.recipients.length > 0
  // A read receipt (RFC 8098) names a recipient, too.
  const receipt = /\breport-type="?disposition-notification\b/i.test(fieldValue(fields, 'content-type'))
  if (receipt) return 'none'
  const report =
    failed ||
    status ||
    // Apache James answers with the subject of the email.
    (prose.opened && system && (silent || path === null)) ||
    (!talk && prose.opened && (system || silent || subject)) ||
    // Anybody can take the name of a mail system. With a reverse path of its own a report has to name a recipient.
    (!talk && subject && system && (names || (prose.fails && (silent || path === null)))) ||
    (!talk && subject && silent && prose.fails && names) ||
    // The subject is in a language, or of a server, that nobody listed. Without the returned email, any notice of an
    // administrator would pass.
    (!talk && system && (silent || path === null) && prose.fails && names && returned.length > 0)
  if (!report) return isAutomaticReply(fields) ? 'auto_reply' : 'none'
  if (prose.succeeds && !prose.delays && !failed) return 'none'
  return prose.delays ? 'delay' : 'bounce'
}

export function proseRecipients(
  kind: 'bounce' | 'delay',
  prose: Prose,
  fields: readonly RawField[],
): ReportedRecipient[] {
  const named = new Map(prose.recipients.map((recipient) => [recipient.address, recipient]))
  const failed = failedRecipients(fields)
  const addresses = failed.length > 0 ? failed : [...named.keys()]
  const shared = addresses.length === 1 ? [new Transcript(prose.said).refusals, prose.said] : []
  return addresses.map((address) => {
    const { final = null, reason = '' } = named.get(address) ?? {}
    return proseRecipient(kind, { address, final }, [reason, ...shared])
  })
}

/** For a report that names nobody: the returned email was for one recipient. */
export function onlyAddressee(
  kind: 'bounce' | 'delay',
  prose: Prose,
  returned: readonly RawField[],
): ReportedRecipient[] {
  const addressees = addresseesOf(returned)
  return addressees.length === 1
    ? [proseRecipient(kind, { address: addressees[0]!, final: null }, [prose.said])]
    : []
}

function proseRecipient(
  kind: 'bounce' | 'delay',
  { address, final }: Pick<QuotedReasons, 'address' | 'final'>,
  texts: readonly string[],
): ReportedRecipient {
  const action = kind === 'delay' ? 'delayed' : 'failed'
  return reportedRecipient({ address, original: null, final, action, status: null, texts })
}
