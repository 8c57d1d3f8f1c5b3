import { aheadBy } from '../common/clock.ts'
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
  failUntried,
  isByHand,
  postponedFrom,
} from '../email/lifecycle.ts'
import type { HoldReason } from '../email/recipient.ts'
import type { AttemptRecord, ClaimedRecipient } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { pauseFor } from './pacing.ts'
import { postponementAt } from './postponement.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** How long recipients wait before they are tried again. */
interface Patience {
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
  const end = wallEnd(schedule.endOf(ready.email), now)
  const nextAttempt = schedule.after(now)
  const { startedAt, duration, server, tls, dialogue, captured = null } = result
  const recipients = result.outcomes.map((given) => {
    const outcome = result.died === undefined ? given : withoutCount(given)
    const recipient = before.get(outcome.position)!
    const { verdict } = outcome
    const counts = verdict === 'deferred' || verdict === 'uncertain'
    const postponed = verdict === 'postponed'
    const isSpared = result.notBefore !== undefined
    const untried = isSpared || (result.noWayOut === true && isPostponed(recipient))
    const happening: AttemptHappening = {
      kind: 'attempted',
      at: now,
      outcome,
      server,
      tls,
      duration,
      untried,
      heldFor: null,
      retryAt: counts ? inTime(notBefore(nextAttempt(recipient.attempts + 1), outcome, now), end) : null,
      again: postponed ? Math.min(whenAgain(recipient, result, patience, now), end ?? Infinity) : now,
      patience: postponed ? schedule.lasts : 0,
      fullMailbox: patience.fullMailbox,
      // If every server was spared, it is unknown whether the trouble lasts.
      ...(postponed && postponementAt(now, isSpared ? 0 : now, schedule.lasts)),
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

/**
 * Whether the recipient is postponed already, by no person. A try without a way out then adds nothing, and is not kept.
 */
function isPostponed({ postponedSince }: ClaimedRecipient): boolean {
  return postponedSince !== null && !isByHand(postponedSince)
}

/** The end of the attempts on the wall clock: one that is ahead reaches it too early (stops.ts). */
function wallEnd(end: number | null, now: number): number | null {
  return end === null ? null : end + aheadBy(now)
}

/** The time of the retry; null: there is none, or it would come after the end of the attempts. */
function inTime(retryAt: number | null, end: number | null): number | null {
  return retryAt !== null && end !== null && retryAt >= end ? null : retryAt
}

/**
 * Postpones the retry to the time that the server names. A greylisting server accepts the message no sooner, so an
 * earlier attempt would be wasted.
 */
function notBefore(retryAt: number | null, { waitMs = 0 }: RecipientOutcome, now: number): number | null {
  return retryAt && Math.max(retryAt, now + pauseFor(waitMs))
}

/** An attempt that crashed a worker does not count, because the email is tried again in the isolated process. */
function withoutCount(outcome: RecipientOutcome): RecipientOutcome {
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

/** The reason why a delivery is released without an attempt. */
export interface GiveBackReason {
  /** Unix ms at which it is due again; Infinity: never, so its recipients fail. */
  dueAt: number
  heldFor: HoldReason | null
  message: string
  /**
   * True: the recipients are postponed. They fail when this has lasted as long as the whole retry schedule. `anew`: it
   * is no trouble, so that none of them fails, and the time of an earlier trouble is over.
   */
  postpones?: true | 'anew'
  /** Unix ms: from then on recipients whose time to fail comes before `dueAt` are due at that time. */
  endsFrom?: number
  /** True: this node has no part of the path's sessions, and others do. */
  toOthers?: true
  /** Unix ms: when the reason was last met, if not now. */
  metAt?: number
  /** Of recipients that fail or are postponed; `other` if absent. */
  category?: NonNullable<EventDetail['category']>
}

/** The record of a delivery that is released without an attempt. `now` in Unix ms. */
export function giveBackRecord(
  { email, leaseToken, recipients }: ReadyDelivery,
  reason: GiveBackReason,
  schedule: RetrySchedule,
  now: number,
): AttemptRecord {
  const dueAt = Math.min(reason.dueAt, wallEnd(schedule.endOf(email), now) ?? Number.POSITIVE_INFINITY)
  const isOver = reason.dueAt === Number.POSITIVE_INFINITY
  const decisionOf = giveBackDecision(isOver ? reason : { ...reason, dueAt }, schedule, now)
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

function giveBackDecision(
  { dueAt, heldFor, message, postpones, endsFrom = dueAt, metAt, category }: GiveBackReason,
  schedule: RetrySchedule,
  at: number,
): (recipient: ClaimedRecipient) => Decision {
  if (postpones) {
    const happening: AttemptHappening = {
      kind: 'attempted',
      at,
      outcome: { verdict: 'postponed', message, ...(category !== undefined && { category }) },
      server: null,
      tls: null,
      untried: true,
      heldFor,
      retryAt: null,
      again: dueAt,
      patience: schedule.lasts,
      fullMailbox: null,
      ...postponementAt(at, postpones === 'anew' ? 0 : (metAt ?? at), schedule.lasts),
      ...(postpones === 'anew' && { anew: true }),
    }
    return (recipient) => {
      const end = postponedFrom(recipient.postponedSince, at) + schedule.lasts
      const again = Math.min(dueAt, Math.max(endsFrom, end))
      return decideAttempt(recipient, { ...happening, again })
    }
  }
  const decision =
    dueAt === Number.POSITIVE_INFINITY
      ? failUntried(at, message, category)
      : decideGiveBack({ kind: 'given-back', at, dueAt, heldFor, message })
  return () => decision
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
  // No server was contacted.
  return { ...result, server: null }
}
