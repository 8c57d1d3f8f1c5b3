import type { DeliveryResult, RecipientOutcome } from '../delivery/delivery.ts'
import { unansweredOutcome } from '../delivery/outcome.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import {
  type AttemptHappening,
  type Decision,
  decideAttempt,
  decideGiveBack,
  hopeless,
  type Outcome,
  postponedFrom,
} from '../email/lifecycle.ts'
import type { AttemptRecord, ClaimedRecipient } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** How long recipients wait before they are tried again. */
export interface Patience {
  /** The waits after attempts that count. */
  schedule: RetrySchedule
  /** The waits after attempts that do not count. */
  pauses: ProbePauses
  /** Unix ms: when the path is tried again, if it is known to be closed. */
  again: number | null
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
      retryAt: counts ? nextAttempt(recipient.attempts + 1) : null,
      again: postponed ? whenAgain(recipient, result, patience, now) : now,
      patience: postponed ? schedule.lasts : 0,
    }
    return { position: outcome.position, decision: decideAttempt(recipient, happening) }
  })
  const { email, leaseToken } = ready
  return { emailId: email.id, leaseToken, startedAt, duration, server, tls, dialogue, captured, recipients }
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

/** Gives a delivery back untried, because its path is closed. `now` in Unix ms. */
export function closedRecord(
  ready: ReadyDelivery,
  { dueAt, why }: { dueAt: number; why: string },
  { schedule }: Pick<Patience, 'schedule'>,
  now: number,
): AttemptRecord {
  const outcome: Outcome = { verdict: 'postponed', message: why }
  const happening: AttemptHappening = {
    kind: 'attempted',
    at: now,
    outcome,
    server: null,
    tls: null,
    untried: true,
    heldFor: 'path',
    retryAt: null,
    again: dueAt,
    patience: schedule.lasts,
  }
  return untriedResult(ready, now, (recipient) => decideAttempt(recipient, happening))
}

/** Ends a delivery that can never be tried. */
export function failedRecord(ready: ReadyDelivery, message: string, now: number): AttemptRecord {
  const decision = hopeless(now, message)
  return untriedResult(ready, now, () => decision)
}

/** Gives a delivery back untried. `held`: because its domain may not send now. `dueAt` in Unix ms. */
export function releaseRecord(
  ready: ReadyDelivery,
  { dueAt, held }: { dueAt: number; held: boolean },
  message: string,
  at = Date.now(),
): AttemptRecord {
  const heldFor = held ? 'domain' : null
  const decision = decideGiveBack({ kind: 'given-back', at, dueAt, heldFor, message })
  return untriedResult(ready, at, () => decision)
}

function untriedResult(
  { email, leaseToken, recipients }: ReadyDelivery,
  at: number,
  decided: (recipient: ClaimedRecipient) => Decision,
): AttemptRecord {
  return {
    emailId: email.id,
    leaseToken,
    startedAt: at,
    duration: 0,
    server: null,
    tls: null,
    dialogue: '',
    captured: null,
    recipients: recipients.map((recipient) => ({
      position: recipient.position,
      decision: decided(recipient),
    })),
  }
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
