import type { EventDetail, EventType, LoggedEvent } from '../../email/event.ts'
import { mapOf } from '../json-columns.ts'
import type { EventLog, SearchStore } from '../store.ts'
import { texts } from './arrays.ts'
import { sleep } from './hints.ts'
import type { Parts } from './parts.ts'

/** Events looked at for one page at most, wanted or not. */
const LOOKS = 5_000
/** Milliseconds between two looks at whether transactions have ended: twice as many each time, up to the second. */
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 200

/** The same for who does not wait until they have. */
const SHORT_PAUSES_MS = [1, 2, 4]

/** How far numbers have been drawn. */
const REACHED =
  'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS reached FROM events_number_seq'
/** Not pg_snapshot_xmax, which is behind the highest one that has ended: others above it may be under way. */
const HORIZON = 'SELECT pg_current_xact_id()::text AS horizon'
const SETTLED = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS settled'
const OLDEST = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest'
/** Marks that wait for their step C. */
const MOST_MARKS = 100

/**
 * Of the $3 events behind $1, up to $2, those of the company $4 and of the types $5; at most $6. Whatever comes of it
 * there is a row, with the last number that was looked at and how many were.
 */
const PAGE = `
WITH looked AS MATERIALIZED (
  SELECT * FROM events WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3
), wanted AS MATERIALIZED (
  SELECT * FROM looked WHERE ($4::int4 IS NULL OR company = $4) AND ($5::text[] IS NULL OR type = ANY ($5))
  ORDER BY number LIMIT $6
)
SELECT l.last, l.looks, w.number, w.email::text AS "emailId", c.id AS "companyId", w.recipient, r.address, w.type, w.at, w.detail
FROM (SELECT max(number) AS last, count(*) AS looks FROM looked) AS l
LEFT JOIN (wanted w JOIN companies c ON c.num = w.company
  LEFT JOIN recipients r ON r.email = w.email AND r.position = w.recipient) ON true
ORDER BY w.number`

/** The same of those up to $1, from the last on. */
const PAGE_UP_TO = `
WITH looked AS MATERIALIZED (
  SELECT * FROM events WHERE number <= $1 ORDER BY number DESC LIMIT $2
), wanted AS MATERIALIZED (
  SELECT * FROM looked WHERE ($3::int4 IS NULL OR company = $3) AND ($4::text[] IS NULL OR type = ANY ($4))
  ORDER BY number DESC LIMIT $5
)
SELECT l.last, l.looks, w.number, w.email::text AS "emailId", c.id AS "companyId", w.recipient, r.address, w.type, w.at, w.detail
FROM (SELECT min(number) AS last, count(*) AS looks FROM looked) AS l
LEFT JOIN (wanted w JOIN companies c ON c.num = w.company
  LEFT JOIN recipients r ON r.email = w.email AND r.position = w.recipient) ON true
ORDER BY w.number DESC`

export interface PageRow {
  last: number | null
  looks: number
  /** All that follows is null when none is wanted. */
  number: number | null
  emailId: string
  companyId: string
  recipient: number | null
  address: string | null
  type: EventType
  at: number
  detail: string | null
}

/**
 * How far the log can be read. Transactions commit in another order than they draw numbers, so a number that is
 * there says nothing about those below it. But each has its id before it draws a number (see the column). So:
 *
 * - A. See how far numbers have been drawn.
 * - B. Take an id of our own: whoever has drawn one of those numbers has a lower one.
 * - C. Wait until every transaction below it has ended.
 * - D. Read: whatever will ever be there up to that number is there.
 *
 * A long transaction, in any database of the server, delays the answer; nothing is missed.
 */
export function logReach({ database }: Pick<Parts, 'database'>) {
  /** Up to here step C was done before. */
  let settled = 0
  /** Where steps A and B were done, and C waits; in order. */
  let marks: { reached: number; horizon: bigint }[] = []

  async function drawn(): Promise<number> {
    const [row] = await database.read<{ reached: number }>(REACHED)
    // Lower than it was: this is another server, to which ours failed over.
    if (row!.reached < settled) {
      settled = 0
      marks = []
    }
    return row!.reached
  }

  async function settle(reached: number): Promise<void> {
    const [own] = await database.read<{ horizon: string }>(HORIZON)
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      const [row] = await database.read<{ settled: boolean }>(SETTLED, [own!.horizon])
      if (row!.settled) break
      await sleep(ms)
    }
    settled = Math.max(settled, reached)
  }

  /** A number behind the cursor up to which nothing will be added; the cursor or less when none was drawn since. */
  async function reach(cursor: number): Promise<number> {
    const reached = await drawn()
    if (reached <= cursor || cursor < settled) return Math.min(reached, settled)
    await settle(reached)
    return reached
  }

  /** As far as step C comes soon: with this mark, or with one that was made before. */
  async function reachSoon(): Promise<number> {
    const reached = await drawn()
    if (reached <= settled) return reached
    const [own] = await database.read<{ horizon: string }>(HORIZON)
    marks = [...marks.slice(-MOST_MARKS), { reached, horizon: BigInt(own!.horizon) }]
    for (const ms of [...SHORT_PAUSES_MS, null]) {
      const [row] = await database.read<{ oldest: string }>(OLDEST)
      const oldest = BigInt(row!.oldest)
      for (const mark of marks) if (mark.horizon <= oldest) settled = Math.max(settled, mark.reached)
      marks = marks.filter(({ horizon }) => horizon > oldest)
      if (settled >= reached || ms === null) break
      await sleep(ms)
    }
    return Math.min(reached, settled)
  }

  return { drawn, settle, reach, reachSoon }
}

/** The log of all events, by number. */
export function eventLog(parts: Parts): EventLog & Pick<SearchStore, 'eventsUpTo' | 'settledEventNumber'> {
  const { database, companies } = parts
  const { drawn, settle, reach, reachSoon } = logReach(parts)
  return {
    async eventsAfter(cursor, { companyId, types }, limit) {
      const company = await companies.filter(companyId)
      const reached = await reach(cursor)
      if (reached <= cursor || limit <= 0) return { events: [], cursor }
      // No company has this id: nothing is wanted.
      if (company === undefined) return { events: [], cursor: reached }
      const looks = company === null && types === undefined ? Math.min(limit, LOOKS) : LOOKS
      const wanted = types === undefined ? null : texts(types)
      const rows = await database.read<PageRow>(PAGE, [cursor, reached, looks, company, wanted, limit])
      const events = rows.filter(({ number }) => number !== null).map(eventOf)
      const { last, looks: looked } = rows[0]!
      if (events.length >= limit) return { events, cursor: events.at(-1)!.number }
      return { events, cursor: looked < looks ? reached : last! }
    },

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
      const reached = await drawn()
      await settle(reached)
      return reached
    },

    settledEventNumber: reachSoon,
  }
}

export function eventOf({
  number,
  emailId,
  companyId,
  recipient,
  address,
  type,
  at,
  detail,
}: PageRow): LoggedEvent {
  const told = { type, at, detail: mapOf<EventDetail>(detail) }
  return { number: number!, emailId, companyId, recipient, address, ...told }
}
