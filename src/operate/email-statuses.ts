/** Finds emails by the status that lists show for them. */
import type { EventType } from '../email/event.ts'
import type { EmailFilter } from '../email/stored-email.ts'
import type { StatusSearch } from '../events/word-match.ts'
import { listedStatuses } from './listed-status.ts'
import { LISTED_STATUSES, type ListedStatus } from './status-word.ts'
import type { Operation } from './verb.ts'

export type EmailStatuses = readonly ListedStatus[]

/** The event that every email with the status has had; null: it has a live recipient. */
const EVENTS: Readonly<Record<ListedStatus, EventType | null>> = {
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

/** What the store can tell: all emails with these statuses match, and others may. */
export function statusFilter(statuses: EmailStatuses): Pick<EmailFilter, 'live' | 'hadEvents'> {
  const events = [...new Set(statuses.map((status) => EVENTS[status]))]
  if (events.every((type) => type === null)) return { live: true }
  const known = events.filter((type) => type !== null)
  return known.length === events.length ? { hadEvents: known } : {}
}

/** Compares the very words that the rows of a list show, so that no row contradicts the filter. */
export function statusSearch(op: Operation, statuses: EmailStatuses): StatusSearch {
  const wanted = new Set<string>(statuses)
  return async (emails) => {
    const found = await listedStatuses(op, { emails })
    return new Set([...found].flatMap(([id, { of }]) => (wanted.has(of) ? [id] : [])))
  }
}

export function isListedStatus(word: string): word is ListedStatus {
  return LISTED_STATUSES.some((status) => status === word)
}
