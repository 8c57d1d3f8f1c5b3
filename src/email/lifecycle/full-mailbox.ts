/** Full mailboxes: a mailbox that stays full for long is abandoned, but a single report does not prove that. */
import type { EventDetail } from '../event.ts'
import { formatDuration } from './duration.ts'
import type { FullMailboxRule, SuppressionCause } from './happening.ts'

/** `rule`: null if full mailboxes suppress no address. The detail is that of the event that ends the recipient. */
export function fullMailboxCause(
  { category, code, message = '' }: EventDetail,
  rule: FullMailboxRule | null,
): SuppressionCause | null {
  if (category !== 'mailbox_full' || rule === null) return null
  const times =
    rule.refusals === 1 ? 'once' : `${rule.refusals} times within ${formatDuration(rule.withinMs)}`
  const reason = `the mailbox was full ${times}${message === '' ? '' : `: ${message}`}`.slice(
    0,
    LONGEST_REASON,
  )
  return { type: 'bounce', reason: reason.toWellFormed(), code: code ?? null, repeated: rule }
}

const LONGEST_REASON = 1_000
