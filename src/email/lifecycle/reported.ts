/**
 * The outcome for a recipient after reports from outside about its message: a report may come at any time, mostly after
 * the end.
 */
import type { EventDetail, EventType } from '../event.ts'
import { COMPLAINT, changed, OUT_OF_QUEUE } from './decision.ts'
import type { Decision, Facts, Reported, Suppressing } from './happening.ts'

type Before = Pick<Facts, 'state' | 'uncertain'>
type Returned = Extract<Reported, { kind: 'returned' }>
type Reaction = Exclude<Reported, Returned>

export function reported(before: Before, happening: Reported): Decision | null {
  if (happening.kind !== 'returned') return reacted(before, happening)
  switch (happening.report) {
    case 'bounced':
      return bounced(before, happening)
    case 'delayed':
      return delayed(before, happening)
    case 'delivered':
      return delivered(before, happening)
  }
}

/**
 * RFC 3464: the server that took the message, or one behind it, could not deliver it. A recipient that is being sent
 * may still end otherwise.
 */
function bounced({ state }: Before, { at, detail, deadAddress }: Returned): Decision | null {
  if (state === 'bounced') return null
  const reason = detail.message || 'returned by the recipient server'
  const ends = state === 'waiting' || state === 'delivered' || state === 'failed'
  return {
    ...recorded('bounced', at, detail),
    change: ends ? { ...OUT_OF_QUEUE, state: 'bounced', lastMessage: reason } : null,
    suppress: deadAddress ? { type: 'bounce', reason, code: detail.code ?? null } : null,
  }
}

function delayed({ state }: Before, { at, detail }: Returned): Decision | null {
  const over = state === 'bounced' || state === 'failed' || state === 'suppressed' || state === 'canceled'
  return over ? null : recorded('delivery_delayed', at, detail)
}

/** The report settles the doubt, even after we gave up. */
function delivered({ state, uncertain }: Before, { at, detail }: Returned): Decision | null {
  if (state === 'suppressed') return null
  const proves = state === 'failed' || (state === 'waiting' && uncertain)
  return { ...recorded('delivered', at, detail), change: proves ? PROVED : null }
}

function reacted({ state, uncertain }: Before, reaction: Reaction): Decision | null {
  const { kind, at, detail } = reaction
  switch (reaction.kind) {
    case 'complained':
      return { ...recorded(kind, at, detail), suppress: COMPLAINT }
    case 'unsubscribed':
      return { ...recorded(kind, at, detail), suppress: reaction.listed ? null : UNSUBSCRIPTION }
    case 'opened':
    case 'clicked': {
      if (state === 'suppressed') return null
      // A message that was opened has arrived.
      const proves = state === 'waiting' && uncertain
      return { ...recorded(kind, at, detail), change: proves ? PROVED : null }
    }
  }
}

const UNSUBSCRIPTION: Suppressing = {
  type: 'unsubscribe',
  reason: 'the recipient unsubscribed',
  code: null,
}
const PROVED = { ...OUT_OF_QUEUE, state: 'delivered' } as const

function recorded(type: EventType, at: number, detail: EventDetail): Decision {
  return changed(null, [{ type, at, detail }])
}
