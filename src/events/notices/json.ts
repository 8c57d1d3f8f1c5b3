/** Events in the JSON dialect, as its webhooks carry them. */
import { type BounceKind, bounceKind } from '../../email/bounce-kind.ts'
import { classificationOf } from '../../email/classification.ts'
import type { CompanyEventType, LogEntry } from '../../email/company-event.ts'
import type { EventDetail, EventType } from '../../email/event.ts'
import type { EventNotice, NoticeEmail } from '../../email/event-notice.ts'
import type { BounceCategory } from '../../mail/reply/category.ts'
import type { Classification } from '../../mail/reply/classify.ts'
import { changedDomain } from './json-domain.ts'
import { problemPayload } from './json-problem.ts'
import { diagnosticCode } from './reply.ts'

/** Null: this dialect has no word for it. */
export const JSON_TYPES: Readonly<Record<EventType, string | null>> = {
  scheduled: 'email.scheduled',
  sent: 'email.sent',
  delivered: 'email.delivered',
  delivery_delayed: 'email.delivery_delayed',
  bounced: 'email.bounced',
  complained: 'email.complained',
  opened: 'email.opened',
  clicked: 'email.clicked',
  failed: 'email.failed',
  suppressed: 'email.suppressed',
  // An addition to the original API.
  canceled: 'email.canceled',
  queued: null,
  unsubscribed: null,
}

/** The same for events of a company. */
export const JSON_COMPANY_TYPES: Readonly<Record<CompanyEventType, string | null>> = {
  'domain.created': 'domain.created',
  'domain.updated': 'domain.updated',
  'domain.deleted': 'domain.deleted',
  'webhook.disabled': null,
  'webhook.enabled': null,
  // Additions to the original API.
  'problem.started': 'problem.started',
  'problem.ended': 'problem.ended',
}

interface JsonEvent {
  type: string
  created_at: string
  /** A sentence, which chat programs show. */
  text?: string
  data: Record<string, unknown>
}

/** Null: this dialect has no word for it. Data that retention has removed from the email is left out. */
export function jsonEvent({ event, email, recipient }: EventNotice<LogEntry>): JsonEvent | null {
  if (event.emailId === null) {
    const type = JSON_COMPANY_TYPES[event.type]
    if (type === null) return null
    const { problem } = event.detail
    const content = problem === undefined ? { data: changedDomain(event) } : problemPayload(event, problem)
    return { type, created_at: isoTime(event.at), ...content }
  }
  const type = JSON_TYPES[event.type]
  if (type === null) return null
  const data: Record<string, unknown> = {
    email_id: event.emailId,
    created_at: isoTime(email?.createdAt ?? event.at),
    // An event of one recipient names only that recipient.
    to: event.address === null ? (email?.to ?? []) : [recipient?.mailbox ?? event.address],
    ...(email !== null && content(email)),
    ...about(event.type, event.detail),
  }
  return { type, created_at: isoTime(event.at), data }
}

function content({ from, subject, messageId, tags, headers }: NoticeEmail): Record<string, unknown> {
  return {
    from,
    subject,
    message_id: messageId,
    tags: tagsByName(tags),
    ...(headers.length > 0 && { headers: headers.map(([name, value]) => ({ name, value })) }),
  }
}

/**
 * Clients expect a map of strings, so values that share a name (several `o:tag` of the form dialect) are joined by
 * commas.
 */
function tagsByName(tags: NoticeEmail['tags']): Record<string, string> {
  const byName = Map.groupBy(tags, ({ name }) => name)
  return Object.fromEntries(
    [...byName].map(([name, same]) => [name, same.map(({ value }) => value).join(',')]),
  )
}

/** The additional fields of this type of event. */
function about(type: EventType, detail: EventDetail): Record<string, unknown> {
  const message = detail.message ?? ''
  switch (type) {
    case 'bounced':
      return { bounce: bounceOf(detail) }
    case 'failed':
      return { failed: { reason: message } }
    case 'suppressed':
      return {
        suppressed: {
          message,
          type: 'OnAccountSuppressionList',
          reason: SUPPRESSED[detail.suppressedBy ?? 'bounce'],
          diagnosticCode: [],
        },
      }
    default:
      return {}
  }
}

/** The reason for each type of suppression. */
const SUPPRESSED = {
  bounce: 'previous_bounce',
  complaint: 'previous_complaint',
  unsubscribe: 'previous_unsubscribe',
  manual: 'manual',
} as const

const KINDS: Readonly<Record<BounceKind, string>> = {
  permanent: 'Permanent',
  transient: 'Transient',
  undetermined: 'Undetermined',
}

const SUB_TYPES: Readonly<Record<BounceCategory, string>> = {
  address_unknown: 'NoEmail',
  mailbox_full: 'MailboxFull',
  mailbox_disabled: 'General',
  domain_unknown: 'NoEmail',
  no_mail_accepted: 'NoEmail',
  policy: 'ContentRejected',
  content_spam: 'ContentRejected',
  content_too_big: 'MessageTooLarge',
  reputation: 'General',
  authentication: 'General',
  rate_limited: 'General',
  greylisted: 'General',
  network: 'General',
  tls: 'General',
  relay_denied: 'General',
  expired: 'General',
  other: 'Undetermined',
}

function bounceOf(detail: EventDetail): Record<string, unknown> {
  const classification = classificationOf('bounced', detail)
  return {
    message: `${bounceSentence(detail, classification)}: ${detail.message ?? ''}`,
    type: KINDS[bounceKind(classification)],
    subType: SUB_TYPES[classification.category],
    diagnosticCode: [diagnosticCode(detail) ?? []].flat(),
  }
}

/** Clients recognise a bounce by the words "bounce message" (Anymail does). */
function bounceSentence({ code }: EventDetail, { category, permanent }: Classification): string {
  const kind = permanent ? 'hard' : 'general'
  if (code === undefined) return `This counts as a ${kind} bounce message`
  if (category === 'mailbox_full')
    return "The recipient's email provider sent a bounce message because the recipient's inbox was full"
  return `The recipient's email provider sent a ${kind} bounce message`
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
