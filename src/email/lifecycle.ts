/**
 * Everything that may happen to a recipient, and its outcome: the one place that decides this, for both stores. Pure:
 * no clock, no randomness, no database. The beginning of a recipient is in lifecycle/birth.ts.
 */
import { attempted } from './lifecycle/attempted.ts'
import { bornSuppressed } from './lifecycle/birth.ts'
import { canceled, changed, ended, orCanceled } from './lifecycle/decision.ts'
import { BY_HAND, type Decision, type Facts, type Happening, postponedFrom } from './lifecycle/happening.ts'
import { reported } from './lifecycle/reported.ts'

export type * from './lifecycle/happening.ts'
export { attempted, BY_HAND, orCanceled, postponedFrom }

/** Null: the happening is impossible in this state, or has no effect. */
export function decide(before: Facts, happening: Happening): Decision | null {
  const { state } = before
  switch (happening.kind) {
    case 'claimed':
      if (state !== 'waiting') return null
      if (happening.suppressed !== null) return bornSuppressed(happening.at, happening.suppressed)
      return changed({ state: 'sending', dueAt: null, heldFor: null })
    case 'damaged':
      return state === 'waiting' ? ended('failed', happening.at, happening.message) : null
    case 'attempted':
      return state === 'sending' ? unlessCanceled(before, attempted(before, happening), happening.at) : null
    case 'given-back':
      return state === 'sending' ? unlessCanceled(before, givenBack(happening), happening.at) : null
    case 'node-lost': {
      if (state !== 'sending') return null
      const suspicion = before.suspicion === 0 ? 1 : before.suspicion
      const change = { state: 'waiting', dueAt: happening.dueAt, heldFor: null, suspicion } as const
      return unlessCanceled(before, changed(change), happening.at)
    }
    case 'cancel':
      if (state === 'waiting' || state === 'quarantined') return canceled(happening.at)
      return state === 'sending' && !before.cancelRequested ? changed({ cancelRequested: true }) : null
    case 'reschedule':
      return state === 'waiting' ? rescheduled(happening) : null
    case 'retry':
      return retried(before, happening)
    case 'hold-released':
      if (state !== 'waiting' || before.heldFor === null) return null
      return changed({ dueAt: happening.at, heldFor: null })
    case 'quarantine':
      if (state !== 'waiting' && state !== 'sending') return null
      return unlessCanceled(before, quarantined(happening), happening.at)
    case 'suspect': {
      const live = state === 'waiting' || state === 'sending'
      return live && before.suspicion < happening.suspicion
        ? changed({ suspicion: happening.suspicion })
        : null
    }
    case 'quarantine-released':
      return state === 'quarantined' ? released(happening.at) : null
    case 'returned':
    case 'complained':
    case 'opened':
    case 'clicked':
    case 'unsubscribed':
      return reported(before, happening)
  }
}

type Of<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>

function unlessCanceled({ cancelRequested }: Facts, decision: Decision, at: number): Decision {
  return cancelRequested ? orCanceled(decision, at) : decision
}

/** The same for all recipients of a delivery, unless they are to be canceled. */
export function givenBack({ dueAt, heldFor, message }: Of<'given-back'>): Decision {
  return changed({ state: 'waiting', dueAt, heldFor, ...(message !== '' && { lastMessage: message }) })
}

function rescheduled({ dueAt }: Of<'reschedule'>): Decision {
  return changed({ dueAt, heldFor: null })
}

/** The recipient can never be sent to, and was not tried. */
export function hopeless(at: number, message: string): Decision {
  return ended('failed', at, message)
}

function retried(before: Facts, { at, named, paused, scheduled, byMember }: Of<'retry'>): Decision | null {
  if (before.state !== 'waiting' || before.dueAt === null || before.dueAt <= at) return null
  if (paused) return leftAlone('paused')
  // A recipient with a closed path may be tried all the same; one whose domain may not send may not.
  if (before.heldFor === 'domain') return leftAlone('held')
  if (scheduled && !named) return leftAlone('scheduled')
  const postponedSince = byMember ? BY_HAND.member : BY_HAND.operator
  return changed({ dueAt: at, heldFor: null, postponedSince })
}

function leftAlone(left: NonNullable<Decision['left']>): Decision {
  return { ...changed(null), left }
}

function quarantined({ at, message }: Of<'quarantine'>): Decision {
  return changed({ state: 'quarantined', dueAt: null, heldFor: null, suspicion: 2, lastMessage: message }, [
    { type: 'delivery_delayed', at, detail: { message } },
  ])
}

/** The delivery stays suspect, so it is tried where it can do no harm. */
function released(at: number): Decision {
  const message = 'Released from quarantine by the operator'
  const change = { state: 'waiting', dueAt: at, suspicion: 1, lastMessage: message } as const
  return changed(change, [{ type: 'queued', at, detail: { message } }])
}
