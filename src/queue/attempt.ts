import { steadyNow } from '../common/clock.ts'
import type { DeliveryResult, RecipientOutcome } from '../delivery/delivery.ts'
import { unansweredOutcome } from '../delivery/outcome.ts'
import { sourceAddress } from '../delivery/path/source.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import type { EventDetail } from '../email/event.ts'
import {
  type AttemptHappening,
  type Decision,
  decideAttempt,
  decideGiveBack,
  type FullMailboxRule,
  hopeless,
  postponedFrom,
} from '../email/lifecycle.ts'
import type { HoldReason } from '../email/recipient.ts'
import type { AttemptRecord, ClaimedRecipient } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** Milliseconds: when a server asks for more, the schedule decides. */
const LONGEST_WAIT_MS = 15 * 60_000

/** How long recipients wait before they are tried again. */
export interface Patience {
  /** The waits after attempts that count. */
  schedule: RetrySchedule
  /** The waits after attempts that do not count. */
  pauses: ProbePauses
  /** Unix ms: when the path is tried again, if it is known to be closed. */
  again: number | null
  /** Null: full mailboxes suppress no address. */
  fullMailbox: FullMailboxRule | null
}

/** The record of an attempt for the store: the outcome of each recipient. */
export function attemptRecord(
  ready: ReadyDelivery,
  result: DeliveryResult,
  patience: Patience,
  now: number,
): AttemptRecord {
  const before = new Map(ready.recipients.map((recipient) => [recipient.position, recipient]))
  const { schedule } = patience
  const end = schedule.endOf(ready.email)
  const nextAttempt = schedule.after(now)
  const { startedAt, duration, server, tls, dialogue, captured = null } = result
  const recipients = result.outcomes.map((given) => {
    const outcome = result.died === undefined ? given : spared(given)
    const recipient = before.get(outcome.position)!
    const { verdict } = outcome
    const counts = verdict === 'deferred' || verdict === 'uncertain'
    const postponed = verdict === 'postponed'
    const happening: AttemptHappening = {
      kind: 'attempted',
      at: now,
      outcome,
      server,
      tls,
      duration,
      untried: result.notBefore !== undefined,
      heldFor: null,
      retryAt: counts ? inTime(notBefore(nextAttempt(recipient.attempts + 1), outcome, now), end) : null,
      again: postponed ? Math.min(whenAgain(recipient, result, patience, now), end ?? Infinity) : now,
      patience: postponed ? schedule.lasts : 0,
      fullMailbox: patience.fullMailbox,
      // No server was asked, so it is not known whether the trouble lasts.
      metAt: result.notBefore === undefined ? metBy(now) : 0,
    }
    return { position: outcome.position, decision: decideAttempt(recipient, happening) }
  })
  const { email, leaseToken, path } = ready
  const source = sourceAddress(path.source, server)
  return {
    emailId: email.id,
    leaseToken,
    startedAt,
    duration,
    source,
    server,
    tls,
    dialogue,
    captured,
    recipients,
  }
}

/** Null also when it would be too late for the email. */
function inTime(retryAt: number | null, end: number | null): number | null {
  return retryAt !== null && end !== null && retryAt >= end ? null : retryAt
}

/** A server that greylists takes the message no sooner than it says, so an earlier attempt would be spent in vain. */
function notBefore(retryAt: number | null, { waitMs = 0 }: RecipientOutcome, now: number): number | null {
  return retryAt && Math.max(retryAt, now + Math.min(waitMs, LONGEST_WAIT_MS))
}

/** An attempt that a worker died of spends none: the email is tried again where it can do no harm. */
function spared(outcome: RecipientOutcome): RecipientOutcome {
  return outcome.verdict === 'deferred' ? { ...outcome, verdict: 'released', suspicion: 1 } : outcome
}

/** When a postponed recipient is tried again. */
function whenAgain(
  { postponedSince }: ClaimedRecipient,
  { notBefore }: DeliveryResult,
  { again, pauses }: Patience,
  now: number,
): number {
  return again ?? notBefore ?? now + pauses.after(now - postponedFrom(postponedSince, now))
}

/** The reason why a delivery is given back untried. */
export interface ReturnReason {
  /** Unix ms at which it is due again; Infinity: never, so its recipients fail. */
  dueAt: number
  heldFor: HoldReason | null
  message: string
  /** Its recipients are postponed: they fail after as long as the whole schedule lasts. */
  postpones?: true
  /** Unix ms: when the reason was last met, if not now. */
  metAt?: number
  /** Of recipients that fail; `other` if absent. */
  category?: NonNullable<EventDetail['category']>
}

/** The record of a delivery that is given back untried. `now` in Unix ms. */
export function returnRecord(
  { email, leaseToken, recipients }: ReadyDelivery,
  reason: ReturnReason,
  schedule: RetrySchedule,
  now: number,
): AttemptRecord {
  const dueAt = Math.min(reason.dueAt, schedule.endOf(email) ?? Number.POSITIVE_INFINITY)
  const isOver = reason.dueAt === Number.POSITIVE_INFINITY
  const decisionOf = returnDecision(isOver ? reason : { ...reason, dueAt }, schedule, now)
  return {
    emailId: email.id,
    leaseToken,
    startedAt: now,
    duration: 0,
    source: null,
    server: null,
    tls: null,
    dialogue: '',
    captured: null,
    recipients: recipients.map((recipient) => ({
      position: recipient.position,
      decision: decisionOf(recipient),
    })),
  }
}

function returnDecision(
  { dueAt, heldFor, message, postpones, metAt, category }: ReturnReason,
  schedule: RetrySchedule,
  at: number,
): (recipient: ClaimedRecipient) => Decision {
  if (postpones) {
    const happening: AttemptHappening = {
      kind: 'attempted',
      at,
      outcome: { verdict: 'postponed', message },
      server: null,
      tls: null,
      untried: true,
      heldFor,
      retryAt: null,
      again: dueAt,
      patience: schedule.lasts,
      fullMailbox: null,
      metAt: metBy(at, metAt),
    }
    return (recipient) => decideAttempt(recipient, happening)
  }
  const decision =
    dueAt === Number.POSITIVE_INFINITY
      ? hopeless(at, message, category)
      : decideGiveBack({ kind: 'given-back', at, dueAt, heldFor, message })
  return () => decision
}

/** When a trouble was last met: a clock that jumps ahead ends nobody's patience. */
function metBy(now: number, metAt = now): number {
  return Math.min(metAt, now, steadyNow())
}

/** Unix ms at which the first of its recipients is due again; null when none is. */
export function dueAfter({ recipients }: AttemptRecord): number | null {
  let earliest = Number.POSITIVE_INFINITY
  for (const { decision } of recipients) {
    earliest = Math.min(earliest, decision.change?.dueAt ?? Number.POSITIVE_INFINITY)
  }
  return earliest === Number.POSITIVE_INFINITY ? null : earliest
}

/** The result of an attempt that failed on our side, for all recipients. */
export function unpreparedResult(ready: ReadyDelivery, startedAt: number, error: unknown): DeliveryResult {
  const why = error instanceof Error ? error.message : String(error)
  const message = `The message could not be prepared: ${why}`.slice(0, 1_000)
  const result = unansweredOutcome(ready, startedAt, (position) => ({
    position,
    verdict: 'deferred',
    message,
  }))
  // No server was asked.
  return { ...result, server: null }
}
