/** The recipients that the fields of a delivery status notification report on. */
import type { RawField } from '../raw/header.ts'
import type { StatusFields } from './delivery-status.ts'
import { failedRecipients } from './failed-recipients.ts'
import type { Prose } from './prose/read-prose.ts'
import { reportedRecipient } from './quoted-reasons.ts'
import type { ReportedAction, ReportedRecipient } from './report.ts'
import { addresseesOf } from './returned-email.ts'
import { Transcript } from './transcript.ts'

/**
 * @param fields of the report
 * @param returned of the returned email
 */
export function statusRecipients(
  statuses: readonly StatusFields[],
  prose: Prose,
  fields: readonly RawField[],
  returned: readonly RawField[],
): ReportedRecipient[] {
  const named = new Map<string, ReportedRecipient>()
  const spare = spareAddresses(statuses, prose, fields, returned)
  const transcript = new Transcript(prose.said)
  const reasons = new Map(prose.recipients.map(({ address, reason }) => [address, reason]))
  // With several recipients, the whole text may give the reason of another one.
  const shared = statuses.length === 1 ? [transcript.refusals, prose.said] : []
  for (const { address, original, final, action, status, diagnostic, local, retries } of statuses) {
    const recipient = address ?? spare.shift()
    if (recipient === undefined || named.has(recipient)) continue
    const texts = [transcript.whole(diagnostic), reasons.get(recipient) ?? '', ...shared]
    const done = action ?? likelyAction(status, retries, prose)
    const stage = transcript.stageOf(diagnostic)
    const reasonsGiven = { address: recipient, original, final, action: done, status, stage, local, texts }
    named.set(recipient, reportedRecipient(reasonsGiven))
  }
  return [...named.values()]
}

/** The action for a recipient whose Action field is missing or unreadable. */
function likelyAction(status: string | null, retries: boolean, prose: Prose): ReportedAction {
  const delayed = retries || prose.delays || (status?.startsWith('4') === true && !prose.opened)
  return delayed ? 'delayed' : 'failed'
}

/** Addresses for recipients whose fields name a program, or a user without a domain. */
function spareAddresses(
  statuses: readonly StatusFields[],
  prose: Prose,
  fields: readonly RawField[],
  returned: readonly RawField[],
): string[] {
  if (statuses.every(({ address }) => address !== null)) return []
  const known = new Set(statuses.map(({ address }) => address))
  const addressees = addresseesOf(returned)
  const candidates = [
    ...failedRecipients(fields),
    ...prose.recipients.map(({ address }) => address),
    ...(addressees.length === 1 ? addressees : []),
  ]
  return [...new Set(candidates)].filter((address) => !known.has(address))
}
