/**
 * The outcome for a recipient after a report from outside about its message. A report may come at any time, mostly
 * after the final state.
 */
import { classificationOf } from '../classification.ts'
import type { EventDetail, EventType } from '../event.ts'
import { COMPLAINT, changeDecision, OUT_OF_QUEUE } from './decision.ts'
import { fullMailboxCause } from './full-mailbox.ts'
import type { Decision, Facts, ReportHappening, SuppressionCause } from './happening.ts'

type PriorFacts = Pick<Facts, 'state' | 'uncertain'>
type ReturnedReport = Extract<ReportHappening, { kind: 'returned' }>
type Reaction = Exclude<ReportHappening, ReturnedReport>

export function decideReport(before: PriorFacts, happening: ReportHappening): Decision | null {
  if (happening.kind !== 'returned') return decideReaction(before, happening)
  switch (happening.report) {
    case 'bounced':
      return decideBounce(before, happening)
    case 'delayed':
      return decideDelay(before, happening)
    case 'delivered':
      return decideDeliveryReport(before, happening)
  }
}

/**
 * RFC 3464: the server that accepted the message, or one behind it, could not deliver it. The state of a recipient that
 * is being sent does not change: its attempt decides.
 */
function decideBounce({ state }: PriorFacts, report: ReturnedReport): Decision | null {
  const { at, detail: given, deadAddress, fullMailbox } = report
  if (state === 'bounced') return null
  const detail = withCategory('bounced', given)
  const reason = detail.message || 'returned by the recipient server'
  const ends = state === 'waiting' || state === 'delivered' || state === 'failed'
  return {
    ...recordEvent('bounced', at, detail),
    change: ends
      ? { ...OUT_OF_QUEUE, state: 'bounced', lastCode: detail.code ?? null, lastMessage: reason }
      : null,
    suppress: deadAddress
      ? { type: 'bounce', reason, code: detail.code ?? null }
      : fullMailboxCause(detail, fullMailbox),
  }
}

function decideDelay({ state }: PriorFacts, { at, detail }: ReturnedReport): Decision | null {
  const over = state === 'bounced' || state === 'failed' || state === 'suppressed' || state === 'canceled'
  return over ? null : recordEvent('delivery_delayed', at, withCategory('delivery_delayed', detail))
}

/** A category from the reporter counts, because the reporter may have read more than the reply. */
function withCategory(type: EventType, detail: EventDetail): EventDetail {
  return { ...detail, ...classificationOf(type, detail) }
}

/** The report proves the delivery, even after the recipient was given up. */
function decideDeliveryReport(
  { state, uncertain }: PriorFacts,
  { at, detail }: ReturnedReport,
): Decision | null {
  if (state === 'suppressed') return null
  const proves = state === 'failed' || (state === 'waiting' && uncertain)
  return { ...recordEvent('delivered', at, detail), change: proves ? PROVED : null }
}

function decideReaction({ state, uncertain }: PriorFacts, reaction: Reaction): Decision | null {
  const { kind, at, detail } = reaction
  switch (reaction.kind) {
    case 'complained':
      return { ...recordEvent(kind, at, detail), suppress: COMPLAINT }
    case 'unsubscribed':
      return { ...recordEvent(kind, at, detail), suppress: reaction.listed ? null : UNSUBSCRIPTION }
    case 'opened':
    case 'clicked': {
      if (state === 'suppressed') return null
      // A message that was opened has arrived.
      const proves = state === 'waiting' && uncertain
      return { ...recordEvent(kind, at, detail), change: proves ? PROVED : null }
    }
  }
}

const UNSUBSCRIPTION: SuppressionCause = {
  type: 'unsubscribe',
  reason: 'the recipient unsubscribed',
  code: null,
}
const PROVED = { ...OUT_OF_QUEUE, state: 'delivered' } as const

function recordEvent(type: EventType, at: number, detail: EventDetail): Decision {
  return changeDecision(null, [{ type, at, detail }])
}
