/**
 * Decides, for both stores, the outcome of everything that may happen to a recipient. Pure: no clock, no randomness, no
 * database. The beginning of a recipient is in lifecycle/initial-state.ts.
 */
import type { BounceCategory } from '../mail/reply/category.ts'
import { decideAttempt } from './lifecycle/attempt.ts'
import { cancelDecision, changeDecision, endDecision, OUR_FAULT, orCanceled } from './lifecycle/decision.ts'
import {
  BY_HAND,
  type Decision,
  type Facts,
  type Happening,
  isByHand,
  postponedFrom,
} from './lifecycle/happening.ts'
import { suppressedAtStart } from './lifecycle/initial-state.ts'
import { decideReport } from './lifecycle/report.ts'

export type * from './lifecycle/happening.ts'
export { BY_HAND, decideAttempt, isByHand, orCanceled, postponedFrom }

/** Null: the happening is impossible in this state, or has no effect. */
export function decide(before: Facts, happening: Happening): Decision | null {
  const { state } = before
  switch (happening.kind) {
    case 'claimed':
      if (state !== 'waiting') return null
      if (happening.suppressed !== null) return suppressedAtStart(happening.at, happening.suppressed)
      return changeDecision({ state: 'sending', dueAt: null, heldFor: null })
    case 'damaged':
      return state === 'waiting' ? endDecision('failed', happening.at, happening.message) : null
    case 'attempted':
      return state === 'sending'
        ? unlessCanceled(before, decideAttempt(before, happening), happening.at)
        : null
    case 'given-back':
      return state === 'sending' ? unlessCanceled(before, decideGiveBack(happening), happening.at) : null
    case 'node-lost': {
      if (state !== 'sending') return null
      const suspicion = before.suspicion === 0 ? 1 : before.suspicion
      const change = { state: 'waiting', dueAt: happening.dueAt, heldFor: null, suspicion } as const
      return unlessCanceled(before, changeDecision(change), happening.at)
    }
    case 'cancel':
      if (state === 'waiting' || state === 'quarantined') return cancelDecision(happening.at)
      return state === 'sending' && !before.cancelRequested ? changeDecision({ cancelRequested: true }) : null
    case 'reschedule':
      return state === 'waiting' ? decideReschedule(happening) : null
    case 'retry':
      return decideRetry(before, happening)
    case 'hold-released':
      if (state !== 'waiting' || before.heldFor === null) return null
      return changeDecision({ dueAt: happening.at, heldFor: null })
    case 'quarantine':
      if (state !== 'waiting' && state !== 'sending') return null
      return unlessCanceled(before, decideQuarantine(happening), happening.at)
    case 'suspect': {
      const live = state === 'waiting' || state === 'sending'
      return live && before.suspicion < happening.suspicion
        ? changeDecision({ suspicion: happening.suspicion })
        : null
    }
    case 'quarantine-released':
      return state === 'quarantined' ? decideRelease(happening.at) : null
    case 'returned':
    case 'complained':
    case 'opened':
    case 'clicked':
    case 'unsubscribed':
      return decideReport(before, happening)
  }
}

type Of<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

function unlessCanceled({ cancelRequested }: Facts, decision: Decision, at: number): Decision {
  return cancelRequested ? orCanceled(decision, at) : decision
}

/** The decision for each recipient of a delivery that is given back, unless its cancellation is requested. */
export function decideGiveBack({ dueAt, heldFor, message }: Of<'given-back'>): Decision {
  return changeDecision({ state: 'waiting', dueAt, heldFor, ...(message !== '' && { lastMessage: message }) })
}

function decideReschedule({ dueAt }: Of<'reschedule'>): Decision {
  return changeDecision({ dueAt, heldFor: null })
}

/** The recipient can never be sent to, and was not tried. */
export function failUntried(at: number, message: string, category?: BounceCategory): Decision {
  return endDecision('failed', at, message, category)
}

function decideRetry(
  before: Facts,
  { at, named, paused, scheduled, ahead = null, byMember }: Of<'retry'>,
): Decision | null {
  if (before.state !== 'waiting' || before.dueAt === null || (before.dueAt <= at && ahead === null))
    return null
  if (paused || before.heldFor === 'pause') return leftAlone('paused')
  // A recipient behind a closed path may be tried, but not one whose sending domain may not send.
  if (before.heldFor === 'domain') return leftAlone('held')
  if (scheduled && !named) return leftAlone('scheduled')
  const postponedSince = byMember ? BY_HAND.member : BY_HAND.operator
  // Mail on a closed path may have been due for long, and little of it is claimed at a time.
  const firstDueAt = ahead?.firstDueAt ?? before.dueAt
  const dueAt = Math.min(at, firstDueAt < before.dueAt ? firstDueAt - 1 : before.dueAt)
  return changeDecision({ dueAt, heldFor: null, postponedSince })
}

function leftAlone(left: NonNullable<Decision['left']>): Decision {
  return { ...changeDecision(null), left }
}

function decideQuarantine({ at, message }: Of<'quarantine'>): Decision {
  return changeDecision(
    { state: 'quarantined', dueAt: null, heldFor: null, suspicion: 2, lastMessage: message },
    [{ type: 'delivery_delayed', at, detail: { message, ...OUR_FAULT } }],
  )
}

/** The recipient stays suspect, so the isolated process tries it. */
function decideRelease(at: number): Decision {
  const message = 'Released from quarantine by the operator'
  const change = { state: 'waiting', dueAt: at, suspicion: 1, lastMessage: message } as const
  return changeDecision(change, [{ type: 'queued', at, detail: { message } }])
}
