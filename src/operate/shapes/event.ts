import type { LogEntry } from '../../email/company-event.ts'
import type { EmailEvent, EventDetail } from '../../email/event.ts'
import { isoTime } from './time.ts'

/** @param event.recipient position of the recipient; null: the event concerns the email as a whole */
export function eventJson({ type, at, recipient, detail }: Omit<EmailEvent, 'emailId'>) {
  return { type, at: isoTime(at), recipient, ...eventDetailJson(detail) }
}

/**
 * An event of the log. `recipient` is the address, `position` its index within the email; both are null if the event
 * concerns the email as a whole. `email_id` is null too if it concerns the company.
 */
export function loggedEventJson(event: LogEntry) {
  const { number, type, at, emailId, companyId, address, recipient, detail } = event
  return {
    number,
    type,
    at: isoTime(at),
    email_id: emailId,
    company_id: companyId,
    recipient: address,
    position: recipient,
    detail: eventDetailJson(detail),
  }
}

function eventDetailJson(detail: EventDetail) {
  const { enhancedCode, nextAttemptAt, reportId, suppressedBy, webhookId, domainId, tlsVerified, ...more } =
    detail
  const { domainState: _, problem, ...rest } = more
  return {
    ...rest,
    ...(enhancedCode !== undefined && { enhanced_code: enhancedCode }),
    ...(nextAttemptAt !== undefined && { next_attempt_at: isoTime(nextAttemptAt) }),
    ...(tlsVerified && { tls_verified: true }),
    ...(reportId !== undefined && { report_id: reportId }),
    ...(suppressedBy !== undefined && { suppressed_by: suppressedBy }),
    ...(webhookId !== undefined && { webhook_id: webhookId }),
    ...(domainId !== undefined && { domain_id: domainId }),
    ...(problem !== undefined && { problem: { ...problem, since: isoTime(problem.since) } }),
  }
}
