import { lastCategories } from '../../email/classification.ts'
import type { EmailHistory, EmailSummary, StoredAttempt, StoredRecipient } from '../../email/stored-email.ts'
import type { BounceCategory } from '../../mail/reply/category.ts'
import { eventJson } from './event.ts'
import { isoTime } from './time.ts'

export function emailSummaryJson(email: EmailSummary) {
  return {
    id: email.id,
    company_id: email.companyId,
    from: email.from,
    to: email.to,
    subject: email.subject,
    created_at: isoTime(email.createdAt),
    last_event: email.lastEvent,
    size: email.size,
  }
}

/** An email with its history, without its content. */
export function historyJson({ email, recipients, events, attempts }: EmailHistory) {
  const { content } = email
  const categories = lastCategories(events)
  return {
    id: email.id,
    company_id: email.companyId,
    domain_id: email.domainId,
    key_id: email.keyId,
    message_id: content.messageId,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: email.bcc,
    reply_to: content.replyTo,
    subject: content.subject,
    created_at: isoTime(email.createdAt),
    scheduled_at: isoTime(email.scheduledAt),
    give_up_at: isoTime(email.giveUpAt),
    last_event: email.lastEvent,
    size: email.size,
    tags: email.tags,
    variables: email.variables,
    content_removed: email.contentRemoved,
    recipients: recipients.map((each) => recipientJson(each, categories.get(each.position) ?? null)),
    events: events.map(eventJson),
    attempts: attempts.map(attemptJson),
  }
}

function recipientJson(recipient: StoredRecipient, category: BounceCategory | null) {
  const { position, address, kind, state, attempts, dueAt, lastCode, lastMessage, server } = recipient
  const next = state === 'waiting' ? isoTime(dueAt) : null
  const answer = { code: lastCode, message: lastMessage, server, category }
  return { position, address, kind, state, attempts, next_attempt_at: next, ...answer }
}

function attemptJson({ startedAt, duration, ...attempt }: StoredAttempt) {
  const { recipients, source, server, tls, dialogue } = attempt
  return { recipients, started_at: isoTime(startedAt), duration_ms: duration, source, server, tls, dialogue }
}
