import type { EventDetail, EventType } from '../events/event.ts'
import type { AttemptRecord, ClaimedRecipient, RecipientRecord } from '../store/store.ts'
import type { DeliveryResult, RecipientOutcome } from './delivery.ts'
import type { ReadyDelivery } from './ready-queues.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** What the store is to record of an attempt: for each recipient its new state, its events, and when it comes again. */
export function attemptRecord(
  ready: ReadyDelivery,
  result: DeliveryResult,
  schedule: RetrySchedule,
  now: number,
): AttemptRecord {
  const before = new Map(ready.recipients.map((recipient) => [recipient.position, recipient]))
  const nextAttempt = schedule.after(now)
  return {
    emailId: ready.email.id,
    companyId: ready.companyId,
    leaseToken: ready.leaseToken,
    startedAt: result.startedAt,
    duration: result.duration,
    server: result.server,
    tls: result.tls,
    dialogue: result.dialogue,
    captured: result.captured ?? null,
    recipients: result.outcomes.map((outcome) =>
      recipientRecord(outcome, before.get(outcome.position)!, result, nextAttempt, now),
    ),
  }
}

/** Gives a delivery back untried. `held`: because its domain may not send now. `dueAt` in Unix ms. */
export function releaseRecord(
  ready: ReadyDelivery,
  { dueAt, held }: { dueAt: number; held: boolean },
  message: string,
): AttemptRecord {
  return {
    emailId: ready.email.id,
    companyId: ready.companyId,
    leaseToken: ready.leaseToken,
    startedAt: dueAt,
    duration: 0,
    server: null,
    tls: null,
    dialogue: '',
    captured: null,
    recipients: ready.recipients.map(({ position, preferredServer }) => ({
      ...waiting(position, dueAt, { tried: false, preferredServer, message }),
      ...(held && { held }),
    })),
  }
}

function recipientRecord(
  outcome: RecipientOutcome,
  before: ClaimedRecipient,
  result: DeliveryResult,
  nextAttempt: (attemptsMade: number) => number | null,
  now: number,
): RecipientRecord {
  const { position, verdict } = outcome
  const attempt = before.attempts + 1
  const detail: EventDetail = { attempt, message: outcome.message }
  if (outcome.code !== undefined) detail.code = outcome.code
  if (outcome.enhancedCode !== undefined) detail.enhancedCode = outcome.enhancedCode
  if (result.server !== null) detail.server = result.server
  if (result.tls !== null) detail.tls = result.tls
  const event = (type: EventType) => ({ type, at: now, detail })
  const ended = (
    state: 'delivered' | 'bounced' | 'failed' | 'suppressed',
    message: string,
  ): RecipientRecord => ({
    position,
    state,
    dueAt: null,
    tried: true,
    uncertain: verdict === 'uncertain',
    preferredServer: null,
    code: outcome.code ?? null,
    message,
    suppress: outcome.suppress === true,
    events: [
      { type: state, at: now, detail: { ...detail, message } },
      ...(outcome.alsoEvents ?? []).map(event),
    ],
  })
  switch (verdict) {
    case 'delivered':
    case 'bounced':
    case 'failed':
    case 'suppressed':
      return ended(verdict, outcome.message)
    case 'released':
      return waiting(position, now, {
        tried: false,
        preferredServer: result.server,
        message: outcome.message,
      })
    case 'deferred':
    case 'uncertain': {
      const dueAt = nextAttempt(attempt)
      if (dueAt === null) {
        return ended('failed', `Gave up after ${attempt} attempts. The last one: ${outcome.message}`)
      }
      return {
        ...waiting(position, dueAt, {
          tried: true,
          // Greylisting remembers who asked whom, and after a lost answer only the same server can know the message.
          preferredServer: result.server ?? before.preferredServer,
          message: outcome.message,
        }),
        uncertain: verdict === 'uncertain' || stillUncertain(before, result.server),
        code: outcome.code ?? null,
        events: [{ type: 'delivery_delayed', at: now, detail: { ...detail, nextAttemptAt: dueAt } }],
      }
    }
  }
}

/**
 * An earlier answer was lost, and this attempt brought no other: the server that may have the message could not be reached, put us
 * off, or was not asked at all. Only another server that was asked instead, because that one serves the domain no longer, ends the doubt.
 */
function stillUncertain({ uncertain, preferredServer }: ClaimedRecipient, asked: string | null): boolean {
  if (!uncertain || preferredServer === null) return false
  return asked === null || hostOf(asked) === hostOf(preferredServer)
}

/** `mx.x.test` of `mx.x.test [192.0.2.1]:25`. */
function hostOf(server: string): string {
  return server.split(' ', 1)[0]!
}

function waiting(
  position: number,
  dueAt: number,
  rest: Pick<RecipientRecord, 'tried' | 'preferredServer' | 'message'>,
): RecipientRecord {
  return {
    position,
    state: 'waiting',
    dueAt,
    uncertain: false,
    code: null,
    suppress: false,
    events: [],
    ...rest,
  }
}

/** The result of an attempt that came to nothing on our side, for all recipients. */
export function unprepared(
  { email, recipients }: ReadyDelivery,
  startedAt: number,
  error: unknown,
): DeliveryResult {
  const message = `Could not be prepared: ${error instanceof Error ? error.message : String(error)}`.slice(
    0,
    1_000,
  )
  return {
    emailId: email.id,
    outcomes: recipients.map(({ position }) => ({ position, verdict: 'deferred', message })),
    server: null,
    dialogue: '',
    startedAt,
    duration: 0,
    tls: null,
  }
}
