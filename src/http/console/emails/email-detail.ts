/**
 * An email with what became of it, as its page shows it: those of its recipients that stand on one page, and what
 * concerns them.
 */
import type { EmailEvent, EventDetail } from '../../../email/event.ts'
import type { StoredAttempt, StoredRecipient } from '../../../email/stored-email.ts'
import type { EmailNextSteps, NextStep } from '../../../operate/next-step.ts'
import { isoTime } from '../../../operate/shapes.ts'

/** Recipients on a page, with what happened to them. */
export const RECIPIENTS_LISTED = 100
/** Characters of a dialogue: one with a thousand recipients is longer than anybody reads. */
const LONGEST_DIALOGUE = 64 * 1024
/** Attempts on a page: the last ones. */
const MOST_ATTEMPTS = 200

/** @param from position of the first recipient shown */
export function emailDetail({ history, nextSteps, domain }: EmailNextSteps, from: number) {
  const { email, recipients, events, attempts } = history
  const { content } = email
  const isShown = (position: number) => position >= from && position < from + RECIPIENTS_LISTED
  const states: Record<string, number> = {}
  for (const { state } of recipients) states[state] = (states[state] ?? 0) + 1
  return {
    id: email.id,
    domain: { id: email.domainId, name: domain?.name ?? null },
    keyId: email.keyId,
    messageId: content.messageId,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: email.bcc,
    replyTo: content.replyTo,
    subject: content.subject,
    createdAt: isoTime(email.createdAt),
    scheduledAt: isoTime(email.scheduledAt),
    lastEvent: email.lastEvent,
    size: email.size,
    tags: email.tags,
    variables: email.variables,
    testMode: email.testMode,
    contentRemoved: email.contentRemoved,
    states,
    recipients: recipients.flatMap((each, index) =>
      isShown(each.position) ? [recipient(each, nextSteps[index]!)] : [],
    ),
    events: events.filter(({ recipient }) => recipient === null || isShown(recipient)).map(event),
    attempts: attempts
      .filter(({ recipients }) => recipients.some(isShown))
      .slice(-MOST_ATTEMPTS)
      .map(attempt),
  }
}

function recipient(of: StoredRecipient, { waits, at }: NextStep) {
  const { position, address, kind, state, attempts, lastCode: code, lastMessage: message, server } = of
  return { position, address, kind, state, attempts, code, message, server, waits, at: isoTime(at) }
}

function event({ type, at, recipient, detail }: Omit<EmailEvent, 'emailId'>) {
  return { type, at: isoTime(at), recipient, detail: eventDetail(detail) }
}

function eventDetail({ nextAttemptAt, ...detail }: EventDetail) {
  return { ...detail, ...(nextAttemptAt !== undefined && { nextAttemptAt: isoTime(nextAttemptAt) }) }
}

function attempt({ recipients, startedAt, duration, server, tls, dialogue }: StoredAttempt) {
  return { recipients, startedAt: isoTime(startedAt), duration, server, tls, dialogue: clipped(dialogue) }
}

/** Beginning and end: there stand who was spoken to, and what came of it. */
function clipped(dialogue: string): string {
  if (dialogue.length <= LONGEST_DIALOGUE) return dialogue
  const half = LONGEST_DIALOGUE / 2
  const left = dialogue.length - LONGEST_DIALOGUE
  return `${dialogue.slice(0, half)}\n... ${left} characters are left out ...\n${dialogue.slice(-half)}`
}
