/** Events in the form dialect, as its webhooks carry them and its Events API lists them. */
import { classificationOf, hasCategory } from '../../email/classification.ts'
import type { EventDetail, EventType, LoggedEvent } from '../../email/event.ts'
import { type EventNotice, type NoticeEmail, noticeAddress, plainAddress } from '../../email/event-notice.ts'
import type { SuppressionType } from '../../email/suppression.ts'
import type { BounceCategory } from '../../mail/reply/category.ts'
import { replyWords } from './reply.ts'

export type FormEvent = Record<string, unknown>

/** The place from which a stored message can be retrieved. */
interface FormStorage {
  url: string
  key: string
}

/** The names of an event; webhooks have one word for event and severity. */
interface FormWord {
  event: string
  severity?: 'permanent' | 'temporary'
  webhook: string
}

const word = (event: string): FormWord => ({ event, webhook: event })
const PERMANENT: FormWord = { event: 'failed', severity: 'permanent', webhook: 'permanent_fail' }
const TEMPORARY: FormWord = { event: 'failed', severity: 'temporary', webhook: 'temporary_fail' }

/** Null: this dialect has no word for it. */
export const FORM_WORDS: Readonly<Record<EventType, FormWord | null>> = {
  sent: word('accepted'),
  scheduled: word('accepted'),
  clicked: word('clicked'),
  complained: word('complained'),
  delivered: word('delivered'),
  opened: word('opened'),
  bounced: PERMANENT,
  failed: PERMANENT,
  suppressed: PERMANENT,
  delivery_delayed: TEMPORARY,
  unsubscribed: word('unsubscribed'),
  queued: null,
  canceled: null,
}

/** Null: this dialect has no word for it. `base`: of the URLs of stored messages, without a trailing slash. */
export function formEvent(notice: EventNotice, base: string): FormEvent | null {
  const { event, id, email } = notice
  const known = formWord(event, email)
  if (known === null) return null
  const recipient = noticeAddress(notice)
  return {
    event: known.event,
    id,
    timestamp: event.at / 1000,
    'log-level': LEVELS[known.severity ?? 'none'],
    recipient,
    'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
    ...(known.severity !== undefined && { severity: known.severity, reason: reasonOf(event) }),
    ...(known.event === 'accepted' && { method: email?.viaSmtp ? 'SMTP' : 'HTTP' }),
    tags: email?.tags.map(({ name, value }) => (name === 'tag' ? value : `${name}:${value}`)) ?? [],
    campaigns: [],
    'user-variables': email?.variables ?? {},
    flags: {
      'is-routed': false,
      'is-authenticated': true,
      'is-system-test': false,
      'is-test-mode': email?.testMode ?? false,
    },
    envelope: { transport: 'smtp', sender: email?.sender ?? '', targets: recipient },
    // Always present, because clients read it without a check.
    message: messageOf(email, recipient),
    ...(email !== null && { storage: storageOf(notice, email, base) }),
    ...(hasStatus(known) && { 'delivery-status': deliveryStatus(event) }),
  }
}

const LEVELS = { none: 'info', temporary: 'warn', permanent: 'error' } as const

/** Null: this dialect does not report it. */
export function formWord({ type }: Pick<LoggedEvent, 'type'>, email: NoticeEmail | null): FormWord | null {
  // A scheduled email was reported as accepted before.
  return type === 'sent' && email?.scheduledAt != null ? null : FORM_WORDS[type]
}

function reasonOf({ type, detail }: LoggedEvent): string {
  switch (type) {
    case 'bounced':
      return REASONS[classificationOf(type, detail).category]
    case 'delivery_delayed': {
      const reason = REASONS[classificationOf(type, detail).category]
      return reason === 'bounce' ? 'generic' : reason
    }
    case 'suppressed':
      return SUPPRESSED[detail.suppressedBy ?? 'bounce'].reason
    case 'failed':
      return 'old'
    default:
      return 'generic'
  }
}

/** The reason for each category. This dialect has words for few of them. */
const REASONS: Readonly<Record<BounceCategory, 'bounce' | 'espblock' | 'greylisted'>> = {
  address_unknown: 'bounce',
  mailbox_full: 'bounce',
  mailbox_disabled: 'bounce',
  domain_unknown: 'bounce',
  no_mail_accepted: 'bounce',
  policy: 'bounce',
  content_spam: 'bounce',
  content_too_big: 'bounce',
  reputation: 'espblock',
  authentication: 'bounce',
  rate_limited: 'espblock',
  greylisted: 'greylisted',
  network: 'bounce',
  tls: 'bounce',
  relay_denied: 'bounce',
  expired: 'bounce',
  other: 'bounce',
}

function hasStatus({ event }: FormWord): boolean {
  return event === 'delivered' || event === 'failed'
}

/** Replies for suppressed mail, which was never sent: codes that only this dialect has. */
const SUPPRESSED: Readonly<Record<SuppressionType, { code: number; reason: string; message: string }>> = {
  bounce: { code: 605, reason: 'suppress-bounce', message: 'Not delivering to previously bounced address' },
  manual: { code: 605, reason: 'suppress-bounce', message: 'Not delivering to previously bounced address' },
  unsubscribe: {
    code: 606,
    reason: 'suppress-unsubscribe',
    message: 'Not delivering to unsubscribed address',
  },
  complaint: {
    code: 607,
    reason: 'suppress-complaint',
    message: 'Not delivering to a user who marked your messages as spam',
  },
}

function deliveryStatus({ type, at, detail }: LoggedEvent): Record<string, unknown> {
  const { enhancedCode = '', attempt, nextAttemptAt, tls, duration = 0, suppressedBy = 'bounce' } = detail
  const reply = replyWords(detail)
  const message = type === 'suppressed' ? SUPPRESSED[suppressedBy].message : reply
  return {
    code: codeOf(type, detail),
    message,
    description: type === 'suppressed' ? reply : '',
    'enhanced-code': enhancedCode,
    'attempt-no': attempt ?? 1,
    'session-seconds': duration / 1000,
    'mx-host': detail.server?.split(' ')[0] ?? '',
    tls: tls !== undefined,
    'certificate-verified': detail.tlsVerified === true,
    utf8: true,
    ...(hasCategory(type) && { 'bounce-type': classificationOf(type, detail).permanent ? 'hard' : 'soft' }),
    ...(nextAttemptAt !== undefined && {
      'retry-seconds': Math.max(0, Math.round((nextAttemptAt - at) / 1000)),
    }),
  }
}

function codeOf(type: LoggedEvent['type'], { code, suppressedBy = 'bounce' }: EventDetail): number {
  if (type === 'suppressed') return SUPPRESSED[suppressedBy].code
  return code ?? (type === 'delivered' ? 250 : type === 'delivery_delayed' ? 451 : 550)
}

function messageOf(email: NoticeEmail | null, recipient: string): Record<string, unknown> {
  if (email === null) {
    const headers = { to: recipient, from: '', subject: '', 'message-id': '' }
    return { headers, attachments: [], recipients: [recipient], size: 0 }
  }
  const { from, to, cc, subject, messageId, attachments, size } = email
  return {
    headers: { to: to.join(', '), from, subject, 'message-id': messageId.replace(/^<(.*)>$/, '$1') },
    attachments: attachments.map(({ filename, contentType, size: octets }) => {
      return { filename, 'content-type': contentType, size: octets }
    }),
    recipients: [...to, ...cc].map(plainAddress),
    size,
  }
}

function storageOf({ event }: EventNotice, email: NoticeEmail, base: string): FormStorage {
  const key = storageKey(email.id, email.individual ? event.recipient : null)
  return { url: `${base}${storedPath(email.domainName ?? '', key)}`, key }
}

/**
 * The key of a stored message. `position`: of the recipient of a batch whose copy it is; null: all recipients share it.
 */
export function storageKey(emailId: string, position: number | null): string {
  return position === null ? emailId : `${emailId}.${position}`
}

function storedPath(domain: string, key: string): string {
  return `/v3/domains/${domain}/messages/${key}`
}
