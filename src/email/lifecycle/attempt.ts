/** The outcome for a recipient after an attempt. */
import type { EventDetail, EventType, NewEvent } from '../event.ts'
import type { FinalState, Suspicion } from '../recipient.ts'
import { COMPLAINT, changeDecision, OUT_OF_QUEUE } from './decision.ts'
import { formatDuration } from './duration.ts'
import { fullMailboxCause } from './full-mailbox.ts'
import {
  type AttemptHappening,
  type Decision,
  type Facts,
  isByHand,
  type Outcome,
  postponedFrom,
  type SuppressionCause,
} from './happening.ts'

/** The facts that a node has about a recipient that it holds. */
export type LeaseFacts = Pick<
  Facts,
  'attempts' | 'uncertain' | 'preferredServer' | 'postponedSince' | 'suspicion'
>

export function decideAttempt(before: LeaseFacts, happening: AttemptHappening): Decision {
  const { at, outcome, retryAt } = happening
  const { verdict, message } = outcome
  switch (verdict) {
    case 'delivered':
    case 'bounced':
    case 'failed':
    case 'suppressed':
      return endAfterAttempt(before, happening, verdict, message)
    case 'released': {
      const suspicion = worse(before.suspicion, outcome.suspicion ?? 0)
      const change: Partial<Facts> = { state: 'waiting', dueAt: at, heldFor: null, suspicion }
      if (message !== '') change.lastMessage = message
      return changeDecision(change)
    }
    case 'deferred':
    case 'uncertain':
      return retryAt === null
        ? endAfterAttempt(
            before,
            happening,
            'failed',
            `Gave up after ${before.attempts + 1} attempts. Last error: ${message}`,
          )
        : decideDeferral(before, happening, retryAt)
    case 'postponed':
      return decidePostponement(before, happening)
  }
}

function endAfterAttempt(
  before: LeaseFacts,
  happening: AttemptHappening,
  state: FinalState,
  message: string,
): Decision {
  const { at, outcome } = happening
  const attempts = before.attempts + 1
  const detail = detailOf(happening)
  detail.attempt = attempts
  if (state === 'bounced' || state === 'failed') classify(detail, outcome, true)
  const events: NewEvent[] = [{ type: state, at, detail: { ...detail, message } }]
  if (outcome.complained) events.push({ type: 'complained', at, detail })
  return {
    change: {
      ...OUT_OF_QUEUE,
      state,
      attempts,
      uncertain: outcome.verdict === 'uncertain',
      preferredServer: null,
      postponedSince: null,
      suspicion: outcome.suspicion ?? 0,
      server: serverOf(happening),
      lastCode: outcome.code ?? null,
      lastMessage: message,
    },
    events,
    suppress:
      suppressionCause(outcome, message) ?? fullMailboxCause(events[0]!.detail, happening.fullMailbox),
    tried: true,
  }
}

function suppressionCause(outcome: Outcome, message: string): SuppressionCause | null {
  if (outcome.complained) return COMPLAINT
  return outcome.suppress ? bounceSuppression(outcome, message) : null
}

function bounceSuppression({ code }: Outcome, message: string): SuppressionCause {
  return { type: 'bounce', reason: message || 'refused by the recipient server', code: code ?? null }
}

function decideDeferral(before: LeaseFacts, happening: AttemptHappening, dueAt: number): Decision {
  const { at, outcome } = happening
  const attempts = before.attempts + 1
  const asked = serverOf(happening)
  const detail = detailOf(happening)
  detail.attempt = attempts
  detail.nextAttemptAt = dueAt
  classify(detail, outcome, false)
  return {
    change: {
      state: 'waiting',
      dueAt,
      heldFor: null,
      attempts,
      uncertain: outcome.verdict === 'uncertain' || stillUncertain(before, asked),
      // Greylisting remembers the client of a recipient, and after a lost answer only the same server can recognise the
      // message.
      preferredServer: asked ?? before.preferredServer,
      postponedSince: null,
      suspicion: outcome.suspicion ?? 0,
      server: asked,
      lastCode: outcome.code ?? null,
      lastMessage: outcome.message,
    },
    events: [{ type: 'delivery_delayed', at, detail }],
    suppress: null,
    tried: true,
  }
}

/**
 * Puts the recipient back to waiting without using up an attempt, because the trouble is not the mail's fault. The
 * recipient fails when that has lasted for `patience` ms.
 */
function decidePostponement(before: LeaseFacts, happening: AttemptHappening): Decision {
  const { at, outcome, again: dueAt, patience, untried, heldFor, metAt = at, beginsAt = at } = happening
  const postponedSince = happening.anew ? beginsAt : postponedFrom(before.postponedSince, beginsAt)
  // Counted up to the last failure and not up to now: a service that was down for days has asked no server meanwhile.
  const lasted = metAt - postponedSince
  const tried = !untried
  const detail = detailOf(happening)
  const change: Partial<Facts> = { state: 'waiting', dueAt, heldFor, postponedSince }
  if (outcome.message !== '' || tried) change.lastMessage = outcome.message
  // Without an attempt there is no new answer.
  if (tried) {
    const asked = serverOf(happening)
    change.attempts = before.attempts
    change.uncertain = stillUncertain(before, asked)
    change.preferredServer = asked ?? before.preferredServer
    change.suspicion = outcome.suspicion ?? 0
    change.server = asked
    change.lastCode = outcome.code ?? null
  }
  if (lasted >= patience) {
    classify(detail, outcome, true)
    const message = `Gave up after ${formatDuration(lasted)} without an attempt: ${outcome.message}`
    const answers = tried ? { uncertain: false, preferredServer: null } : {}
    const gone = { ...change, ...answers, ...OUT_OF_QUEUE, state: 'failed', lastMessage: message } as const
    return {
      change: gone,
      events: [{ type: 'failed', at, detail: { ...detail, message } }],
      suppress: null,
      tried,
    }
  }
  // The event is recorded once, and again for each try that a person requested. The queue shows later changes.
  const isAsked = tried && isByHand(before.postponedSince)
  if (before.postponedSince !== null && !isAsked) return { change, events: [], suppress: null, tried }
  detail.nextAttemptAt = dueAt
  classify(detail, outcome, false)
  const type: EventType = 'delivery_delayed'
  return { change, events: [{ type, at, detail }], suppress: null, tried }
}

/**
 * Adds the category. It is `expired` (RFC 3463 3.5) for a recipient that was given up after a last error without a
 * category of its own.
 */
function classify(detail: EventDetail, { verdict, category, permanent }: Outcome, ends: boolean): void {
  const known = category ?? (verdict === 'uncertain' ? 'network' : 'other')
  const gaveUp = ends && verdict !== 'bounced' && verdict !== 'failed'
  detail.category = gaveUp && (known === 'other' || known === 'greylisted') ? 'expired' : known
  detail.permanent = permanent === true
}

function detailOf(happening: AttemptHappening): EventDetail {
  const { outcome, server, tls, duration } = happening
  const { code, enhancedCode, message } = outcome
  const asked = serverOf(happening)
  const detail: EventDetail = { message }
  if (code !== undefined) detail.code = code
  if (enhancedCode !== undefined) detail.enhancedCode = enhancedCode
  if (asked !== null) detail.server = asked
  // The attempt's TLS is that of the server with which it ended.
  const answerTls = outcome.tls !== undefined || asked !== server ? outcome.tls : tls
  if (answerTls?.version) detail.tls = answerTls.version
  if (answerTls?.verified) detail.tlsVerified = true
  if (duration !== undefined) detail.duration = Math.round(duration)
  return detail
}

/** The server that gave the outcome. */
function serverOf({ outcome, server }: AttemptHappening): string | null {
  return outcome.server ?? server
}

function worse(a: Suspicion, b: Suspicion): Suspicion {
  return a > b ? a : b
}

/**
 * Whether it is still open if an earlier message, whose answer was lost, has arrived. It is open while the server that
 * may have the message cannot be reached, defers, or is not asked. It ends only when another server is asked, because
 * the former no longer serves the domain.
 */
function stillUncertain({ uncertain, preferredServer }: LeaseFacts, asked: string | null): boolean {
  if (!uncertain || preferredServer === null) return false
  return asked === null || hostOf(asked) === hostOf(preferredServer)
}

/** `mx.x.test` of `mx.x.test [192.0.2.1]:25`. */
function hostOf(server: string): string {
  return server.split(' ', 1)[0]!
}
