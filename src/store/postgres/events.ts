import type { EntryFilter, LogEntry } from '../../email/company-event.ts'
import type { EventDetail, EventPage, LoggedEvent } from '../../email/event.ts'
import { mapOf } from '../json-columns.ts'
import type { EventLog, EventStore, SearchStore } from '../store.ts'
import { texts } from './arrays.ts'
import type { StoreParts } from './parts.ts'
import { reachOf } from './reach.ts'

/** The most events looked at for one page, whether or not they match. */
const LOOKS = 5_000
/** Leaves out events of companies themselves. */
const OF_EMAILS = 'email IS NOT NULL'

/**
 * Looks at the first $3 events after $1, up to $2, and returns those of the company $4 and of the types $5, at most $6.
 * There is always at least one row, with the last number that was looked at and the number of events looked at.
 */
const PAGE = (about: string) => `
WITH looked AS MATERIALIZED (
  SELECT * FROM events WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3
), wanted AS MATERIALIZED (
  SELECT * FROM looked WHERE ${about} AND ($4::int4 IS NULL OR company = $4) AND ($5::text[] IS NULL OR type = ANY ($5))
  ORDER BY number LIMIT $6
)
SELECT l.last, l.looks, w.number, w.email::text AS "emailId", c.id AS "companyId", w.recipient, r.address, w.type, w.at, w.detail
FROM (SELECT max(number) AS last, count(*) AS looks FROM looked) AS l
LEFT JOIN (wanted w JOIN companies c ON c.num = w.company
  LEFT JOIN recipients r ON r.email = w.email AND r.position = w.recipient) ON true
ORDER BY w.number`
const EVENTS_AFTER = PAGE(OF_EMAILS)
const ENTRIES_AFTER = PAGE('true')

/** The same in reverse, for events up to $1. */
const PAGE_UP_TO = `
WITH looked AS MATERIALIZED (
  SELECT * FROM events WHERE number <= $1 ORDER BY number DESC LIMIT $2
), wanted AS MATERIALIZED (
  SELECT * FROM looked WHERE ${OF_EMAILS} AND ($3::int4 IS NULL OR company = $3) AND ($4::text[] IS NULL OR type = ANY ($4))
  ORDER BY number DESC LIMIT $5
)
SELECT l.last, l.looks, w.number, w.email::text AS "emailId", c.id AS "companyId", w.recipient, r.address, w.type, w.at, w.detail
FROM (SELECT min(number) AS last, count(*) AS looks FROM looked) AS l
LEFT JOIN (wanted w JOIN companies c ON c.num = w.company
  LEFT JOIN recipients r ON r.email = w.email AND r.position = w.recipient) ON true
ORDER BY w.number DESC`

export type PageRow<Event extends LogEntry = LoggedEvent> = Omit<Event, 'number' | 'detail'> & {
  last: number | null
  looks: number
  /** Null when no event matches; the fields of the event are null then too. */
  number: number | null
  detail: string | null
}

type EventLogReads = EventLog &
  Pick<EventStore, 'entriesAfter'> &
  Pick<SearchStore, 'eventsUpTo' | 'settledEventNumber'>

/** The log of all events, by number. */
export function eventLog(parts: StoreParts): EventLogReads {
  const { database, companies } = parts
  const { lastDrawn, settle, reach, reachSoon } = reachOf('events_number_seq', parts)

  async function after<Event extends LogEntry>(
    sql: string,
    cursor: number,
    { companyId, types }: EntryFilter,
    limit: number,
  ): Promise<EventPage<Event>> {
    const company = await companies.filter(companyId)
    const reached = await reach(cursor)
    if (reached <= cursor || limit <= 0) return { events: [], cursor }
    // No company has this id, so no event matches.
    if (company === undefined) return { events: [], cursor: reached }
    const looks = company === null && types === undefined ? Math.min(limit, LOOKS) : LOOKS
    const wanted = types === undefined ? null : texts(types)
    const rows = await database.read<PageRow<Event>>(sql, [cursor, reached, looks, company, wanted, limit])
    const events = rows.filter(({ number }) => number !== null).map(eventOf)
    const { last, looks: looked } = rows[0]!
    if (events.length >= limit) return { events, cursor: events.at(-1)!.number }
    return { events, cursor: looked < looks ? reached : last! }
  }

  return {
    eventsAfter: (cursor, filter, limit) => after<LoggedEvent>(EVENTS_AFTER, cursor, filter, limit),
    entriesAfter: (cursor, filter, limit) => after<LogEntry>(ENTRIES_AFTER, cursor, filter, limit),

    async eventsUpTo(upTo, { companyId, types }, limit) {
      const company = await companies.filter(companyId)
      if (company === undefined || limit <= 0) return { events: [], cursor: 0 }
      const looks = company === null && types === undefined ? Math.min(limit, LOOKS) : LOOKS
      const wanted = types === undefined ? null : texts(types)
      const rows = await database.read<PageRow>(PAGE_UP_TO, [upTo, looks, company, wanted, limit])
      const events = rows.filter(({ number }) => number !== null).map(eventOf)
      const { last, looks: looked } = rows[0]!
      if (events.length >= limit) return { events, cursor: events.at(-1)!.number - 1 }
      return { events, cursor: looked < looks ? 0 : last! - 1 }
    },

    async lastEventNumber() {
      const reached = await lastDrawn()
      await settle(reached)
      return reached
    },

    settledEventNumber: reachSoon,
  }
}

export function eventOf<Event extends LogEntry = LoggedEvent>({
  last: _last,
  looks: _looks,
  detail,
  ...event
}: PageRow<Event>): Event {
  return { ...event, detail: mapOf<EventDetail>(detail) } as unknown as Event
}
