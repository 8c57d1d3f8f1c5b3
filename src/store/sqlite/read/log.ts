import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EntryFilter, LogEntry } from '../../../email/company-event.ts'
import type { EventDetail, EventPage, LoggedEvent } from '../../../email/event.ts'
import { mapOf } from '../../json-columns.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** Events looked at for one answer at most, whether or not they match. */
const WINDOW = 5_000

export type LogRow<Event extends LogEntry = LoggedEvent> = Omit<Event, 'detail'> & { detail: string | null }

/** Columns of the event `v` of an email `e`, a company `c` and perhaps a recipient `r`. */
export const EVENT =
  'SELECT v.number, e.id AS emailId, c.id AS companyId, v.recipient, r.address, v.type, v.at, v.detail'

export function eventOf<Event extends LogEntry = LoggedEvent>({ detail, ...event }: LogRow<Event>): Event {
  return { ...event, detail: mapOf<EventDetail>(detail) } as unknown as Event
}

/** @param join the join with emails: CROSS leaves out events of companies themselves */
function wantedAmong(order: 'ASC' | 'DESC', join: 'CROSS' | 'LEFT' = 'CROSS'): string {
  return `${EVENT}
     FROM events v ${join} JOIN emails e ON e.num = v.email CROSS JOIN companies c ON c.num = v.company
       LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
     WHERE v.number BETWEEN ?1 AND ?2 AND (?3 IS NULL OR v.company = (SELECT num FROM companies WHERE id = ?3))
       AND (?4 IS NULL OR instr(?4, ' ' || v.type || ' ') > 0)
     ORDER BY v.number ${order} LIMIT ?5`
}

/** The log of events, by number. Must be called inside a transaction. */
export function log(
  db: DatabaseSync,
): Direct<'entriesAfter' | 'eventsAfter' | 'eventsUpTo' | 'lastEventNumber' | 'settledEventNumber'> {
  const counted = db.prepare("SELECT value FROM counters WHERE name = 'events'")
  const firstBehind = db.prepare('SELECT number FROM events WHERE number > ? ORDER BY number LIMIT 1')
  const lastUpTo = db.prepare('SELECT number FROM events WHERE number <= ? ORDER BY number DESC LIMIT 1')
  const rising = db.prepare(wantedAmong('ASC'))
  const falling = db.prepare(wantedAmong('DESC'))
  const entries = db.prepare(wantedAmong('ASC', 'LEFT'))
  const last = () => one<{ value: number }>(counted)!.value

  function after<Event extends LogEntry>(
    statement: StatementSync,
    cursor: number,
    { companyId, types }: EntryFilter,
    limit: number,
  ): EventPage<Event> {
    // Retention may have left a long gap here.
    const first = one<{ number: number }>(firstBehind, cursor)?.number
    if (first === undefined) return { events: [], cursor: Math.max(cursor, last()) }
    const end = first + WINDOW - 1
    const values = [companyId ?? null, wordsOf(types), limit]
    const events = all<LogRow<Event>>(statement, first, end, ...values).map(eventOf)
    return { events, cursor: events.length === limit ? events.at(-1)!.number : Math.min(end, last()) }
  }

  return {
    lastEventNumber: last,
    // There is only one writer.
    settledEventNumber: last,
    eventsAfter: (cursor, filter, limit) => after<LoggedEvent>(rising, cursor, filter, limit),
    entriesAfter: (cursor, filter, limit) => after<LogEntry>(entries, cursor, filter, limit),

    eventsUpTo(upTo, { companyId, types }, limit) {
      const end = one<{ number: number }>(lastUpTo, upTo)?.number
      if (end === undefined) return { events: [], cursor: 0 }
      const first = end - WINDOW + 1
      const values = [companyId ?? null, wordsOf(types), limit]
      const events = all<LogRow>(falling, first, end, ...values).map(eventOf)
      return { events, cursor: Math.max(0, events.length === limit ? events.at(-1)!.number - 1 : first - 1) }
    },
  }
}

function wordsOf(types: EntryFilter['types']): string | null {
  return types === undefined ? null : ` ${types.join(' ')} `
}
