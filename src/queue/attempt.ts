import type { DeliveryResult, RecipientOutcome } from '../delivery/delivery.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import type { EventDetail, EventType } from '../email/event.ts'
import type { AttemptRecord, ClaimedRecipient, RecipientRecord } from '../store/store.ts'
import type { ReadyDelivery } from './ready-queues.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** How long what is to come again waits. */
export interface Patience {
  /** For attempts that count. */
  schedule: RetrySchedule
  /** For those that do not. */
  pauses: ProbePauses
  /** Unix ms: when the path is tried again, if it is known to be closed. */
  again: number | null
}

/** What the store is to record of an attempt: for each recipient its new state, its events, and when it comes again. */
export function attemptRecord(
  ready: ReadyDelivery,
  result: DeliveryResult,
  patience: Patience,
  now: number,
): AttemptRecord {
  const before = new Map(ready.recipients.map((recipient) => [recipient.position, recipient]))
  const nextAttempt = patience.schedule.after(now)
  return {
    emailId: ready.email.id,
    leaseToken: ready.leaseToken,
    startedAt: result.startedAt,
    duration: result.duration,
    server: result.server,
    tls: result.tls,
    dialogue: result.dialogue,
    captured: result.captured ?? null,
    recipients: outcomesOf(result).map((outcome) =>
      outcome.verdict === 'postponed'
        ? postponedRecord(outcome, before.get(outcome.position)!, result, patience, now)
        : recipientRecord(outcome, before.get(outcome.position)!, result, nextAttempt, now),
    ),
  }
}

/** Gives a delivery back untried, as the path it would take is closed. `now` in Unix ms. */
export function closedRecord(
  ready: ReadyDelivery,
  { dueAt, why }: { dueAt: number; why: string },
  { schedule, pauses }: Pick<Patience, 'schedule' | 'pauses'>,
  now: number,
): AttemptRecord {
  const outcomes = ready.recipients.map(({ position }): RecipientOutcome => {
    return { position, verdict: 'postponed', message: why }
  })
  const nothing = { server: null, dialogue: '', startedAt: now, duration: 0, tls: null, notBefore: dueAt }
  const result: DeliveryResult = { emailId: ready.email.id, outcomes, ...nothing }
  const record = attemptRecord(ready, result, { schedule, pauses, again: dueAt }, now)
  const recipients = record.recipients.map((recipient) => ({
    ...recipient,
    held: recipient.state === 'waiting',
  }))
  return { ...record, recipients }
}

/** What a worker died of costs no attempt: it is tried where it can do no harm. */
function outcomesOf({ outcomes, died }: DeliveryResult): RecipientOutcome[] {
  if (died === undefined) return outcomes
  return outcomes.map((outcome) => {
    return outcome.verdict === 'deferred' ? { ...outcome, verdict: 'released', suspicion: 1 } : outcome
  })
}

/** Gives a delivery back untried. `held`: because its domain may not send now. `dueAt` in Unix ms. */
export function releaseRecord(
  ready: ReadyDelivery,
  { dueAt, held }: { dueAt: number; held: boolean },
  message: string,
): AttemptRecord {
  return {
    emailId: ready.email.id,
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
  const { position } = outcome
  const verdict = outcome.verdict as Exclude<RecipientOutcome['verdict'], 'postponed'>
  const attempt = before.attempts + 1
  const asked = outcome.server ?? result.server
  const detail = { ...detailOf(outcome, result), attempt }
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
      return {
        ...waiting(position, now, {
          tried: false,
          preferredServer: result.server,
          message: outcome.message,
        }),
        suspicion: outcome.suspicion ?? 0,
      }
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
          preferredServer: asked ?? before.preferredServer,
          message: outcome.message,
        }),
        uncertain: verdict === 'uncertain' || stillUncertain(before, asked),
        code: outcome.code ?? null,
        suspicion: outcome.suspicion ?? 0,
        events: [{ type: 'delivery_delayed', at: now, detail: { ...detail, nextAttemptAt: dueAt } }],
      }
    }
  }
}

/**
 * Back to waiting without having spent an attempt: what is wrong is not the mail's. That has an end as well, when it has lasted as
 * long as the whole retry schedule.
 */
function postponedRecord(
  outcome: RecipientOutcome,
  before: ClaimedRecipient,
  result: DeliveryResult,
  { schedule, pauses, again }: Patience,
  now: number,
): RecipientRecord {
  const { position, message } = outcome
  const asked = outcome.server ?? result.server
  const postponedSince = before.postponedSince || now
  const lasted = now - postponedSince
  const tried = result.notBefore === undefined
  const code = outcome.code ?? null
  const detail = detailOf(outcome, result)
  if (lasted >= schedule.lasts) {
    const given = `Gave up after ${shownTime(lasted)} in which it could not be tried: ${message}`
    const events = [{ type: 'failed' as const, at: now, detail: { ...detail, message: given } }]
    const ended = { dueAt: null, uncertain: false, preferredServer: null, suppress: false }
    return { position, state: 'failed', tried, postponedSince, code, message: given, events, ...ended }
  }
  const dueAt = again ?? result.notBefore ?? now + pauses.after(lasted)
  // Told once: how it goes on is in the queue.
  const tell = before.postponedSince === null
  return {
    ...waiting(position, dueAt, { tried, preferredServer: asked ?? before.preferredServer, message }),
    postponedSince,
    uncertain: stillUncertain(before, asked),
    code,
    events: tell ? [{ type: 'delivery_delayed', at: now, detail: { ...detail, nextAttemptAt: dueAt } }] : [],
  }
}

function detailOf(outcome: RecipientOutcome, { server, tls }: DeliveryResult): EventDetail {
  const { code, enhancedCode, message, server: said = server } = outcome
  const detail: EventDetail = { message }
  if (code !== undefined) detail.code = code
  if (enhancedCode !== undefined) detail.enhancedCode = enhancedCode
  if (said !== null) detail.server = said
  if (tls !== null) detail.tls = tls
  return detail
}

/** `4.5 days`, `2 hours`, `3 seconds`. */
function shownTime(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= 2 * least) ?? ['second', 1_000]
  const amount = Math.round((ms / size) * 10) / 10
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

const UNITS: [unit: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

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
