/** The decisions that several happenings come to. */
import type { EventDetail, NewEvent } from '../event.ts'
import type { FinalState } from '../recipient.ts'
import type { Decision, Facts, Suppressing } from './happening.ts'

/** Of what is in no queue. */
export const OUT_OF_QUEUE = { dueAt: null, heldFor: null, cancelRequested: false } as const

export const COMPLAINT: Suppressing = { type: 'complaint', reason: 'the recipient complained', code: null }

/** Without an attempt. */
export function changed(change: Decision['change'], events: NewEvent[] = []): Decision {
  return { change, events, suppress: null, tried: false }
}

/** Ended without an attempt. */
export function ended(state: FinalState, at: number, message: string): Decision {
  return changed({ ...OUT_OF_QUEUE, state, lastMessage: message }, [{ type: state, at, detail: { message } }])
}

/** Without a message it keeps the last one it had. */
export function canceled(at: number, message?: string): Decision {
  const detail: EventDetail = message === undefined ? {} : { message }
  const change: Partial<Facts> = { ...OUT_OF_QUEUE, state: 'canceled' }
  if (message) change.lastMessage = message
  return changed(change, [{ type: 'canceled', at, detail }])
}

/**
 * What becomes of it where its row says that it is to be canceled, the one thing others may change under a lease: it
 * does not wait for another attempt, and is not kept in quarantine. What the attempt brought is recorded all the same.
 */
export function orCanceled(decision: Decision, at: number): Decision {
  const { change } = decision
  if (change === null || (change.state !== 'waiting' && change.state !== 'quarantined')) return decision
  const { events } = canceled(at, change.lastMessage ?? undefined)
  return { ...decision, change: { ...change, ...OUT_OF_QUEUE, state: 'canceled' }, events }
}
