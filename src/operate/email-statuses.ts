/** Finds emails by the status that lists show for them. */
import type { EventType } from '../email/event.ts'
import type { EmailFilter } from '../email/stored-email.ts'
import type { StatusSearch } from '../events/word-match.ts'
import { listedStatuses } from './listed-status.ts'
import type { StatusFilter } from './status-word.ts'
import type { Operation } from './verb.ts'

export type EmailStatuses = readonly StatusFilter[]

/** The event that every email with the status has had; null: it has a live recipient. */
const EVENTS: Readonly<Record<StatusFilter, EventType | null>> = {
  waiting: null,
  accepted: null,
  scheduled: null,
  sending: null,
  retrying: null,
  paused: null,
  held: null,
  quarantined: null,
  delivered: 'delivered',
  captured: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  bounced: 'bounced',
  failed: 'failed',
  complained: 'complained',
  suppressed: 'suppressed',
  canceled: 'canceled',
}

/** The conditions that the store knows: all emails with these statuses match, and others may. */
export function statusFilter(statuses: EmailStatuses): Pick<EmailFilter, 'live' | 'hadEvents' | 'liveOrHad'> {
  const events = [...new Set(statuses.map((status) => EVENTS[status]))]
  const known = events.filter((type) => type !== null)
  if (known.length === events.length) return { hadEvents: known }
  return known.length === 0 ? { live: true } : { liveOrHad: known }
}

/**
 * Compares the very words that the rows of a list show, so that no row contradicts the filter. Null: what the store can
 * tell is all that is wanted.
 */
export function statusSearch(op: Operation, statuses: EmailStatuses): StatusSearch | null {
  const wanted = new Set<string>(statuses)
  const waiting = wanted.has('waiting')
  if (waiting && statuses.every((status) => EVENTS[status] === null)) return null
  return async (emails) => {
    const found = await listedStatuses(op, { emails })
    const matching = [...found].filter(([, { of, live }]) => wanted.has(of) || (waiting && live))
    return new Set(matching.map(([id]) => id))
  }
}
