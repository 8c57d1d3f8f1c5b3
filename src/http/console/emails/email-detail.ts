/**
 * An email with what became of it, as its page shows it: those of its recipients that stand on one page, and what
 * concerns them. Dialogues are read one by one.
 */
import type { EmailEvent, EventDetail } from '../../../email/event.ts'
import type { AttemptOutline, RecipientOutline } from '../../../email/stored-email.ts'
import type { EmailNextSteps, NextStep } from '../../../operate/next-step.ts'
import { isoTime } from '../../../operate/shapes.ts'

/** What one page holds: recipients, and of what happened to them the newest. */
export const PAGE = { limit: 100, eventOctets: 128 * 1024, attempts: 200 }
/** Octets of such a page beside those of the email itself, about, at most. */
export const PAGE_OCTETS = 192 * 1024

export function emailDetail({ outline, nextSteps, domain }: EmailNextSteps) {
  const { email, states, recipients, events, attempts } = outline
  return {
    id: email.id,
    domain: { id: email.domainId, name: domain?.name ?? null },
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
    states,
    recipients: recipients.map((each, index) => recipient(each, nextSteps[index]!)),
    events: events.map(event),
    attempts: attempts.map(attempt),
  }
}

function recipient(of: RecipientOutline, { waits, at }: NextStep) {
  const { position, address, kind, state, attempts, lastCode: code, lastMessage: message, server } = of
  return { position, address, kind, state, attempts, code, message, server, waits, at: isoTime(at) }
}

function event({ type, at, recipient, detail }: Omit<EmailEvent, 'emailId'>) {
  return { type, at: isoTime(at), recipient, detail: eventDetail(detail) }
}

function eventDetail({ nextAttemptAt, ...detail }: EventDetail) {
  return { ...detail, ...(nextAttemptAt !== undefined && { nextAttemptAt: isoTime(nextAttemptAt) }) }
}

function attempt({ startedAt, ...attempt }: AttemptOutline) {
  return { ...attempt, startedAt: isoTime(startedAt) }
}
