/**
 * An email's page: the email, one page of its recipients, and their events and attempts. Dialogues are read one by one.
 */
import { lastCategories } from '../../../email/classification.ts'
import type { EmailEvent, EventDetail } from '../../../email/event.ts'
import type { AttemptOutline } from '../../../email/stored-email.ts'
import { countedStatuses } from '../../../operate/listed-status.ts'
import { type EmailNextSteps, statusOf } from '../../../operate/next-step.ts'
import { attemptResult } from '../../../operate/reply-code.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import type { UnderWay } from '../../../operate/under-way.ts'
import type { RecipientCounts } from '../../../store/store.ts'

/** Limits of one page: recipients, and the newest of their events and attempts. */
export const PAGE = { limit: 100, eventOctets: 128 * 1024, attempts: 200 }
/** Approximate maximum of such a page in octets, without the email itself. */
export const PAGE_OCTETS = 192 * 1024

/**
 * `underWay`: by position. `counts`: as lists read them, so that lists and the page have the same word. `now`: Unix ms.
 */
export function emailDetail(
  found: EmailNextSteps,
  underWay: ReadonlyMap<number, UnderWay>,
  counts: RecipientCounts | null,
  now: number,
) {
  const { email, events, attempts, recipients } = found.outline
  const status = statusOf(found, underWay)
  const categories = lastCategories(events)
  return {
    id: email.id,
    domain: { id: email.domainId, ...status.domain },
    keyId: email.keyId,
    messageId: email.messageId,
    from: email.from,
    to: email.to,
    cc: email.cc,
    bcc: email.bcc,
    replyTo: email.replyTo,
    subject: email.subject,
    createdAt: isoTime(email.createdAt),
    scheduledAt: isoTime(email.scheduledAt),
    lastEvent: email.lastEvent,
    size: email.size,
    tags: email.tags,
    variables: email.variables,
    testMode: email.testMode,
    contentRemoved: email.contentRemoved,
    mostAttempts: status.mostAttempts,
    states: found.outline.states,
    statuses: countedStatuses(email, counts, {
      domain: found.domain,
      closed: found.closed,
      mostAttempts: found.mostAttempts,
      now,
    }).map(({ state: _, ...status }) => status),
    recipients: status.recipients.map((each, index) => {
      const { position, kind, state } = recipients[index]!
      return { ...each, position, kind, state, category: categories.get(position) ?? null }
    }),
    events: events.map(event),
    attempts: attempts.map(attempt),
  }
}

function event({ type, at, recipient, detail }: Omit<EmailEvent, 'emailId'>) {
  return { type, at: isoTime(at), recipient, detail: eventDetail(detail) }
}

function eventDetail({ nextAttemptAt, ...detail }: EventDetail) {
  return { ...detail, ...(nextAttemptAt !== undefined && { nextAttemptAt: isoTime(nextAttemptAt) }) }
}

function attempt({ startedAt, ending, ...attempt }: AttemptOutline) {
  return { ...attempt, startedAt: isoTime(startedAt), result: attemptResult(ending, attempt.tls) }
}
