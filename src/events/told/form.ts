/** Events in the words of the form dialect: what its webhooks carry, and what its Events API lists. */
import type { EventDetail, EventType, LoggedEvent } from '../../email/event.ts'
import type { SuppressionType } from '../../email/suppression.ts'
import { plainAddress, type ToldEmail, type ToldEvent, toldAddress } from '../../email/told-event.ts'
import { filledMessageId } from '../../mail/batch/substitute.ts'

export type FormEvent = Record<string, unknown>

/** Where a message that is kept can be had. */
export interface FormStorage {
  url: string
  key: string
}

/** What an event is called; webhooks have one word for event and severity. */
export interface FormWord {
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

/** Null: this dialect has no word for it. `storageOf`: absent where nothing is known of it. */
export function formEvent(told: ToldEvent, storageOf?: (email: ToldEmail) => FormStorage): FormEvent | null {
  const { event, id, email, recipientVariables } = told
  const known = wordFor(event, email)
  if (known === null) return null
  const recipient = toldAddress(told)
  const variables = { ...email?.variables, ...filledIn(email, recipientVariables) }
  return {
    event: known.event,
    id,
    timestamp: event.at / 1000,
    'log-level': LEVELS[known.severity ?? 'none'],
    recipient,
    'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
    ...(known.severity !== undefined && { severity: known.severity, reason: reasonOf(event) }),
    ...(known.event === 'accepted' && { method: 'HTTP' }),
    tags: email?.tags.map(({ name, value }) => (name === 'tag' ? value : `${name}:${value}`)) ?? [],
    campaigns: [],
    'user-variables': variables,
    flags: {
      'is-routed': false,
      'is-authenticated': true,
      'is-system-test': false,
      'is-test-mode': email?.testMode ?? false,
    },
    envelope: { transport: 'smtp', sender: email?.sender ?? '', targets: recipient },
    // There whatever else is missing: its readers do not look whether it is.
    message: messageOf(email, recipient, recipientVariables),
    ...(email !== null && storageOf !== undefined && { storage: storageOf(email) }),
    ...(hasStatus(known) && { 'delivery-status': deliveryStatus(event) }),
  }
}

const LEVELS = { none: 'info', temporary: 'warn', permanent: 'error' } as const

function wordFor({ type }: LoggedEvent, email: ToldEmail | null): FormWord | null {
  // What was scheduled was accepted before.
  return type === 'sent' && email?.scheduledAt != null ? null : FORM_WORDS[type]
}

function reasonOf({ type, detail }: LoggedEvent): string {
  switch (type) {
    case 'bounced':
      return 'bounce'
    case 'suppressed':
      return SUPPRESSED[detail.suppressedBy ?? 'bounce'].reason
    case 'failed':
      return 'old'
    default:
      return 'generic'
  }
}

function hasStatus({ event }: FormWord): boolean {
  return event === 'delivered' || event === 'failed'
}

/** What nothing was sent for: codes of this dialect's own. */
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
  const {
    message: said = '',
    enhancedCode = '',
    attempt,
    nextAttemptAt,
    tls,
    suppressedBy = 'bounce',
  } = detail
  const message = type === 'suppressed' ? SUPPRESSED[suppressedBy].message : said
  return {
    code: codeOf(type, detail),
    message,
    description: type === 'suppressed' ? said : '',
    'enhanced-code': enhancedCode,
    'attempt-no': attempt ?? 1,
    'mx-host': detail.server?.split(' ')[0] ?? '',
    tls: tls !== undefined,
    'certificate-verified': false,
    utf8: true,
    ...(nextAttemptAt !== undefined && {
      'retry-seconds': Math.max(0, Math.round((nextAttemptAt - at) / 1000)),
    }),
  }
}

function codeOf(type: LoggedEvent['type'], { code, suppressedBy = 'bounce' }: EventDetail): number {
  if (type === 'suppressed') return SUPPRESSED[suppressedBy].code
  return code ?? (type === 'delivered' ? 250 : type === 'delivery_delayed' ? 451 : 550)
}

function messageOf(
  email: ToldEmail | null,
  recipient: string,
  values: Record<string, string> | null,
): Record<string, unknown> {
  if (email === null) {
    const headers = { to: recipient, from: '', subject: '', 'message-id': '' }
    return { headers, attachments: [], recipients: [recipient], size: 0 }
  }
  const { from, subject, messageId, attachments, size } = email
  const { to, recipients } = addressedBy(email)
  // In a batch each copy may have its own.
  const ownId =
    values === null
      ? messageId
      : filledMessageId(messageId, { address: recipient, name: '', variables: values })
  return {
    headers: { to, from, subject, 'message-id': ownId.replace(/^<(.*)>$/, '$1') },
    attachments: attachments.map(({ filename, contentType, size: octets }) => {
      return { filename, 'content-type': contentType, size: octets }
    }),
    recipients,
    size,
  }
}

interface Addressed {
  to: string
  recipients: readonly string[]
}

const addressed = new WeakMap<ToldEmail, Addressed>()

/** The same in each of its events, of which an email to a thousand has thousands. */
function addressedBy(email: ToldEmail): Addressed {
  const known = addressed.get(email)
  if (known !== undefined) return known
  const { to, cc } = email
  const made = { to: to.join(', '), recipients: [...to, ...cc].map(plainAddress) }
  addressed.set(email, made)
  return made
}

/** Characters of all values together that are filled in: where it is more, the placeholder stays. */
const MOST_FILLED_IN = 16 * 1024

/** Variables may be filled in with the recipient's own values, as the message is. */
function filledIn(email: ToldEmail | null, values: Record<string, string> | null): Record<string, string> {
  if (email === null || values === null) return {}
  let left = MOST_FILLED_IN
  const fill = (placeholder: string, key: string): string => {
    const value = Object.hasOwn(values, key) ? values[key]! : placeholder
    // A small template may ask for a large value a thousand times.
    if (value.length > left) return placeholder
    left -= value.length
    return value
  }
  const filled = Object.entries(email.variables).map(([name, text]) => {
    return [name, text.replace(/%recipient\.([^%\s]+)%/g, fill)]
  })
  return Object.fromEntries(filled)
}
