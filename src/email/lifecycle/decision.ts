/** Decisions that several happenings share. */
import type { BounceCategory } from '../../mail/reply/category.ts'
import type { EventDetail, NewEvent } from '../event.ts'
import type { FinalState } from '../recipient.ts'
import type { Decision, Facts, SuppressionCause } from './happening.ts'

/** The facts of a recipient that is in no queue. */
export const OUT_OF_QUEUE = { dueAt: null, heldFor: null, cancelRequested: false } as const

export const COMPLAINT: SuppressionCause = {
  type: 'complaint',
  reason: 'the recipient complained',
  code: null,
}

/** A change without an attempt. */
export function changeDecision(change: Decision['change'], events: NewEvent[] = []): Decision {
  return { change, events, suppress: null, tried: false }
}

/** The classification of an end for which no server is to blame. */
export const OUR_FAULT = { category: 'other', permanent: false } as const satisfies EventDetail

/** An end without an attempt. */
export function endDecision(
  state: FinalState,
  at: number,
  message: string,
  category: BounceCategory = OUR_FAULT.category,
): Decision {
  const detail = state === 'failed' ? { message, ...OUR_FAULT, category } : { message }
  return changeDecision({ ...OUT_OF_QUEUE, state, lastMessage: message }, [{ type: state, at, detail }])
}

/** Cancels the recipient. Without `message`, the recipient keeps its last message. */
export function cancelDecision(at: number, message?: string): Decision {
  const detail: EventDetail = message === undefined ? {} : { message }
  const change: Partial<Facts> = { ...OUT_OF_QUEUE, state: 'canceled' }
  if (message) change.lastMessage = message
  return changeDecision(change, [{ type: 'canceled', at, detail }])
}

/**
 * The decision for a recipient whose cancellation was requested (the only fact that others may change under a lease):
 * it does not wait for another attempt or in quarantine. The result of the attempt is still recorded.
 */
export function orCanceled(decision: Decision, at: number): Decision {
  const { change } = decision
  if (change === null || (change.state !== 'waiting' && change.state !== 'quarantined')) return decision
  const { events } = cancelDecision(at, change.lastMessage ?? undefined)
  return { ...decision, change: { ...change, ...OUT_OF_QUEUE, state: 'canceled' }, events }
}
